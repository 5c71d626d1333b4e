import type { StageSettings } from '../gate-settings/stage-settings';
import type { GateSettings } from '../gate-settings/gate-settings';
import type { WorkloadKey } from '../plan/tracked-workload';
import type { LocalSourceRef } from '../sources/source';
import { canaryOrder, waveOf, type RankedWorkload } from './canary-order';
import type { ClosedGate } from './gate';
import { orderGate } from './order-gate';
import { predecessorsOf } from './predecessors';
import { stagedUsers } from './staged-users';
import { stagesGate } from './stages-gate';

export interface ExpectedChange {
  readonly source: LocalSourceRef;
  /** All users of the source that ask for restarts when it changes. */
  readonly users: readonly RankedWorkload[];
  /** Those that the change would restart. */
  readonly restarting: readonly RankedWorkload[];
  /** Whether nothing else keeps it from restarting. Who is held is not waited for by those that restart in stages. */
  readonly mayBegin: (workload: RankedWorkload) => boolean;
  /** The nearest setting around the users: that of the source, or else of the namespace. */
  readonly stagesAround: GateSettings['stages'];
  readonly stages: StageSettings;
}

/** Somebody may have annotated thousands so that each waits for the next one. Who follows further is not looked at. */
const maxFollowed = 32;

/** For whom one of the restarting workloads would wait if the change were made now; undefined: for nobody. */
export function expectedTurns(change: ExpectedChange): (workload: RankedWorkload) => ClosedGate | undefined {
  const { restarting } = change;
  const byKey = new Map(restarting.map((workload) => [workload.key, workload]));
  const inStages = waitsInStages(change);
  const lowest = firstOf(restarting, (left, right) => waveOf(left) - waveOf(right) || (left.key < right.key ? -1 : 1));
  return (workload) => namedFirst(workload, byKey) ?? lowerWave(workload, lowest) ?? inStages(workload);
}

type ByKey = ReadonlyMap<WorkloadKey, RankedWorkload>;

function namedFirst(workload: RankedWorkload, restarting: ByKey): ClosedGate | undefined {
  for (const { key, by } of predecessorsOf(workload)) {
    const named = restarting.get(key);
    // Those that would wait for each other for ever do not.
    if (named && !leadsTo(named, workload.key, restarting)) return waitsFor(named, by);
  }
  return undefined;
}

/** Whether a workload waits for another one, itself or by those that it waits for. */
function leadsTo(from: RankedWorkload, to: WorkloadKey, restarting: ByKey): boolean {
  const followed = new Set([from]);
  for (const workload of followed) {
    for (const { key } of predecessorsOf(workload)) {
      if (key === to) return true;
      const next = restarting.get(key);
      if (next && followed.size < maxFollowed) followed.add(next);
    }
  }
  return false;
}

function lowerWave(workload: RankedWorkload, lowest: RankedWorkload | undefined): ClosedGate | undefined {
  if (!lowest || waveOf(lowest) >= waveOf(workload)) return undefined;
  return waitsFor(lowest, { wave: waveOf(lowest) });
}

function waitsInStages({
  source,
  users,
  restarting,
  mayBegin,
  stagesAround,
  stages,
}: ExpectedChange): (workload: RankedWorkload) => ClosedGate | undefined {
  const staged = new Set(stagedUsers(users, stagesAround, stages.fromUsers).map(({ key }) => key));
  const first = firstOf(
    restarting.filter(({ key }) => staged.has(key)),
    canaryOrder,
    mayBegin,
  );
  if (!first || staged.size < 2) return () => undefined;
  const gate = stagesGate({
    ...{ source, settings: stages, first: { title: `${first.record.kind} ${first.record.name}`, others: 0 } },
    stage: { is: 'begins', mayBegin: 1, untilMs: Infinity },
  });
  return ({ key }) => (staged.has(key) && key !== first.key ? gate : undefined);
}

function waitsFor({ record: { kind, name } }: RankedWorkload, by: 'after' | 'owner' | { readonly wave: number }) {
  return orderGate([{ kind, name, by, standing: 'owes' }]);
}

/** Without sorting them: a source may have ten thousand users. `fits` is asked of few. */
function firstOf(
  workloads: readonly RankedWorkload[],
  order: (left: RankedWorkload, right: RankedWorkload) => number,
  fits: (workload: RankedWorkload) => boolean = () => true,
): RankedWorkload | undefined {
  let first: RankedWorkload | undefined;
  for (const workload of workloads) {
    if ((first === undefined || order(workload, first) < 0) && fits(workload)) first = workload;
  }
  return first;
}
