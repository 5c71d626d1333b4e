import { stringAt } from '../apiserver/json';
import type { WriteRecord } from '../apiserver/store';
import { ownNamespace } from '../engine-settings';
import { isOfEngine, isOfWorkload } from './lives';
import { refusesJob, type TakenOut } from './gatekeeper';
import { templateOf } from './usage';

/** The situations that the worlds of a batch with faults on the server's side must reach. */
export const faultSituations = [
  'etcd was restored to an older revision',
  'etcd was restored to an older revision, and its versions went on',
  'a workload was restarted after a restore of etcd',
  'a restart was stored without its marker',
  'a restart was stored without its record',
  'a workload was restarted after its restart had been taken out',
  'the install lost its digest key, and made another',
  'the digest key of the install was replaced',
  'a Job was deleted, and its creation refused though its dry run had passed',
] as const;
export type FaultSituation = (typeof faultSituations)[number];

/** Notes which of these situations a world reaches. */
export class FaultSituations {
  readonly #reached = new Set<FaultSituation>();
  readonly #takenOut = new Set<string>();
  #isRestored = false;
  #hadKey = false;

  get reached(): ReadonlySet<FaultSituation> {
    return this.#reached;
  }

  told(what: string): void {
    if (what === refusesJob)
      this.#reached.add('a Job was deleted, and its creation refused though its dry run had passed');
    if (!what.startsWith('is restored to revision')) return;
    this.#isRestored = true;
    const goesOn = what.endsWith('versions go on');
    this.#reached.add(
      goesOn
        ? 'etcd was restored to an older revision, and its versions went on'
        : 'etcd was restored to an older revision',
    );
  }

  takenOut(what: TakenOut, { object }: WriteRecord): void {
    this.#takenOut.add(object.metadata.uid);
    if (what === 'marker') this.#reached.add('a restart was stored without its marker');
    else this.#reached.add('a restart was stored without its record');
  }

  written(write: WriteRecord): void {
    if (write.kind.kind === 'Secret' && write.key === `${ownNamespace}/reroll-digest-key`) this.#keyWritten(write);
    if (!isOfWorkload(write) || !isOfEngine(write) || templateOf(write.previous) === templateOf(write.object)) return;
    if (this.#isRestored) this.#reached.add('a workload was restarted after a restore of etcd');
    if (this.#takenOut.has(write.object.metadata.uid)) {
      this.#reached.add('a workload was restarted after its restart had been taken out');
    }
  }

  #keyWritten({ type, previous, object }: WriteRecord): void {
    if (type === 'ADDED' && this.#hadKey) this.#reached.add('the install lost its digest key, and made another');
    this.#hadKey = true;
    const key = stringAt(object, 'data', 'key');
    if (previous && type === 'MODIFIED' && key !== '' && key !== stringAt(previous, 'data', 'key')) {
      this.#reached.add('the digest key of the install was replaced');
    }
  }
}
