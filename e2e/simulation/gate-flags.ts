import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { parseRestartWindows } from '../../shared/domain/gate-settings/restart-windows';
import { intervalOf } from './gate-annotations';

/** What the install says about when restarts may begin, as on its command line. */
export interface GateFlags {
  readonly windows?: string;
  readonly interval?: string;
}

export function gateSettingsOf({ windows, interval }: GateFlags = {}): Pick<EngineSettings, 'gates'> {
  const minIntervalMs = interval === undefined ? undefined : intervalOf(interval);
  const gates = {
    ...(windows !== undefined && { windows: parseRestartWindows(windows) }),
    ...(minIntervalMs !== undefined && { minIntervalMs }),
  };
  return { gates: Object.keys(gates).length === 0 ? undefined : gates };
}
