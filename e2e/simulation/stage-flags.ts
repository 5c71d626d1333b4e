import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { withoutStages } from '../../shared/domain/gate-settings/stage-settings';

/** What the install says about stages, as on its command line. */
export interface StageFlags {
  readonly healthyForMs: number;
  readonly deadlineMs: number;
  /** Contents are put back that break the first. */
  readonly rollback?: boolean;
}

/** In worlds without such flags all users of a source restart at once. */
export function stageSettingsOf(flags: StageFlags | undefined): Pick<EngineSettings, 'stages' | 'rollback'> {
  if (!flags) return { stages: withoutStages, rollback: false };
  const { rollback = false, ...stages } = flags;
  return { stages: { fromUsers: 2, ...stages }, rollback };
}
