import type { WriteRecord } from '../apiserver/store';
import { baselineOf } from './baseline-text';
import { isOfEngine, isOfWorkload } from './lives';
import { isLeftToNextRun, settleMaxMsOf, settleMsOf, strategyAnnotation } from './own-settings';
import { templateOf } from './usage';

/** Situations that a batch of worlds must reach in which workloads have their own settings. */
export const settingsSituations = [
  'a workload was restarted by a strategy of its own',
  'a workload with a longer settle window of its own was restarted',
  'a workload with a longest wait of its own was restarted',
  'a change was left to the next run of a Job or CronJob',
] as const;
export type SettingsSituation = (typeof settingsSituations)[number];

/** Notes which of these situations a world reaches. */
export class SettingsSituations {
  readonly #reached = new Set<SettingsSituation>();

  get reached(): ReadonlySet<SettingsSituation> {
    return this.#reached;
  }

  written(write: WriteRecord): void {
    if (!isOfWorkload(write) || !isOfEngine(write)) return;
    const { object, previous } = write;
    const isRecordedAgain = baselineOf(previous) && object.metadata.annotations?.['reroll.dev/last-restart'];
    if (isLeftToNextRun(object) && isRecordedAgain) {
      this.#reached.add('a change was left to the next run of a Job or CronJob');
    }
    if (templateOf(previous) === templateOf(object)) return;
    const asked = object.metadata.annotations?.[strategyAnnotation] !== undefined;
    if (asked) this.#reached.add('a workload was restarted by a strategy of its own');
    if (settleMsOf(object) > 1_000)
      this.#reached.add('a workload with a longer settle window of its own was restarted');
    if (settleMaxMsOf(object) < settleMsOf(object))
      this.#reached.add('a workload with a longest wait of its own was restarted');
  }
}
