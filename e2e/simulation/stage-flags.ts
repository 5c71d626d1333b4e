import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { withoutStages } from '../../shared/domain/gate-settings/stage-settings';

/** What the install says about stages, as on its command line. */
export interface StageFlags {
  readonly healthyForMs: number;
  readonly deadlineMs: number;
}

/** In worlds without such flags all users of a source restart at once. */
export function stageSettingsOf(flags: StageFlags | undefined): Pick<EngineSettings, 'stages'> {
  return { stages: flags ? { fromUsers: 2, ...flags } : withoutStages };
}
