import { keptLabel } from '../../shared/domain/annotations/annotations';
import { parseSelector, type Selector } from '../../shared/domain/kubernetes/selector';
import type { EngineSettings } from '../options/engine-settings';

/** The sources that lists ask for. The contents that Reroll keeps itself are none. */
export function listedSources({
  sourceSelector,
  rollback,
}: Pick<EngineSettings, 'sourceSelector' | 'rollback'>): Selector {
  if (!rollback) return sourceSelector;
  return parseSelector([...(sourceSelector.isEverything ? [] : [sourceSelector.text]), `!${keptLabel}`].join(','));
}
