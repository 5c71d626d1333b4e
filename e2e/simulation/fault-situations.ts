import type { WriteRecord } from '../apiserver/store';
import { isOfEngine, isOfWorkload } from './lives';
import { templateOf } from './usage';

/** What a batch of worlds must have come to in which servers, and what stands in front of them, are at fault. */
export const faultSituations = [
  'etcd was restored to an older revision',
  'etcd was restored to an older revision, and its versions went on',
  'a workload was restarted after a restore of etcd',
] as const;
export type FaultSituation = (typeof faultSituations)[number];

/** Notes which situations of faults on the server's side a world comes to. */
export class FaultSituations {
  readonly #reached = new Set<FaultSituation>();
  #isRestored = false;

  get reached(): ReadonlySet<FaultSituation> {
    return this.#reached;
  }

  told(what: string): void {
    if (!what.startsWith('is restored to revision')) return;
    this.#isRestored = true;
    const goesOn = what.endsWith('versions go on');
    this.#reached.add(
      goesOn
        ? 'etcd was restored to an older revision, and its versions went on'
        : 'etcd was restored to an older revision',
    );
  }

  written(write: WriteRecord): void {
    if (!isOfWorkload(write) || !isOfEngine(write)) return;
    if (this.#isRestored && templateOf(write.previous) !== templateOf(write.object)) {
      this.#reached.add('a workload was restarted after a restore of etcd');
    }
  }
}
