import type { WriteRecord } from '../apiserver/store';
import { baselineOf } from './baseline-text';
import { isOfEngine, isOfWorkload } from './lives';
import { templateOf } from './usage';
import { olderVersion, reloader } from './upgrade-actions';

/** Situations that a batch of worlds must reach in which an older version or Reloader ran before. */
export const upgradeSituations = [
  'a workload with a record of an older version was restarted',
  'a workload with a record of an older version was recorded anew and not restarted',
  'a workload that Reloader had restarted before was restarted',
] as const;
export type UpgradeSituation = (typeof upgradeSituations)[number];

/** Notes which of these situations a world reaches. */
export class UpgradeSituations {
  readonly #reached = new Set<UpgradeSituation>();
  readonly #older = new Set<string>();
  readonly #traced = new Set<string>();

  get reached(): ReadonlySet<UpgradeSituation> {
    return this.#reached;
  }

  written(write: WriteRecord): void {
    if (!isOfWorkload(write)) return;
    const { object, previous, user } = write;
    const { uid } = object.metadata;
    if (user === olderVersion && baselineOf(object)) this.#older.add(uid);
    if (user === reloader) this.#traced.add(uid);
    if (!isOfEngine(write)) return;
    const isRestarted = templateOf(previous) !== templateOf(object);
    if (this.#older.delete(uid)) {
      if (isRestarted) this.#reached.add('a workload with a record of an older version was restarted');
      else this.#reached.add('a workload with a record of an older version was recorded anew and not restarted');
    }
    if (isRestarted && this.#traced.delete(uid)) {
      this.#reached.add('a workload that Reloader had restarted before was restarted');
    }
  }
}
