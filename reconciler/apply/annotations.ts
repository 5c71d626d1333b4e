import { lastReloadedFrom } from '../../shared/domain/annotations/annotations';
import { absent } from '../../shared/domain/sources/content-digest';
import { sourceKindNames } from '../../shared/domain/sources/source';
import type { MarkInput, TemplateMarker } from './marker';

/**
 * Reloader's `last-reloaded-from` on the pod template: its keys in Reloader's order, then ours. Of several sources it
 * names the last, as Reloader does.
 */
export function markAnnotation({ namespace, changes, restartId, nowMs }: MarkInput): TemplateMarker {
  const change = changes.at(-1);
  if (!change) return { annotations: {}, env: [] };
  const value = {
    type: sourceKindNames[change.kind].token,
    name: change.name,
    namespace,
    hash: change.whole ?? absent,
    containerRefs: change.container === undefined ? [] : [change.container],
    observedAt: Math.floor(nowMs / 1000),
    id: restartId,
  };
  return { annotations: { [lastReloadedFrom]: JSON.stringify(value) }, env: [] };
}
