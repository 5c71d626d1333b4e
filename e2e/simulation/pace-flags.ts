import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { unlimited } from '../../shared/domain/gate-settings/pace-settings';
import { parseRestartRate } from '../../shared/domain/gate-settings/restart-rate';
import { parseRollingLimit } from '../../shared/domain/gate-settings/rolling-limit';

/** What the install says about how many restarts roll out at once, as on its command line. */
export interface PaceFlags {
  readonly maxRolling?: string;
  readonly perNamespace?: string;
  readonly rate?: string;
}

/** Worlds without such flags have no limits: most have no controllers, so no rollout in them ever ends. */
export function paceSettingsOf({ maxRolling, perNamespace, rate }: PaceFlags = {}): Pick<EngineSettings, 'pace'> {
  return {
    pace: {
      ...unlimited,
      ...(maxRolling !== undefined && { maxRolling: parseRollingLimit(maxRolling) }),
      ...(perNamespace !== undefined && { perNamespace: parseRollingLimit(perNamespace) }),
      ...(rate !== undefined && { rate: parseRestartRate(rate) }),
    },
  };
}
