import type { RestartRate } from './restart-rate';
import type { RollingLimitSetting } from './rolling-limit';

/** How many workloads may roll at once, as the flags of the install say. All limits count together. */
export interface PaceSettings {
  readonly maxRolling: RollingLimitSetting;
  /** Of each namespace that does not say it itself. */
  readonly perNamespace: RollingLimitSetting;
  readonly perNodePool: RollingLimitSetting;
  /** The label that names the node pool in `nodeSelector`; undefined: node pools do not matter. */
  readonly nodePoolLabel: string | undefined;
  readonly rate: RestartRate | undefined;
}

export const unlimited: PaceSettings = {
  ...{ maxRolling: 'off', perNamespace: 'off', perNodePool: 'off' },
  ...{ nodePoolLabel: undefined, rate: undefined },
};
