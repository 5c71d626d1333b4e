import { assertNever } from '../../shared/domain/errors';
import type { ClosedGate } from '../../shared/domain/gates/gate';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { decide } from '../../shared/domain/policy/policy';
import type { WaitReason, WorkloadStatus } from '../../shared/domain/protocol/workload-status';
import type { LocalSourceRef } from '../../shared/domain/sources/source';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { settleTimesOf } from '../worker/settle-window';
import type { UnfinishedLook } from '../worker/unfinished-looks';
import { isSourceKindWatched, wallTime, type InspectionView } from './inspection-view';

type StatusView = Pick<
  InspectionView,
  'clock' | 'queue' | 'settle' | 'unfinished' | 'settings' | 'knownKinds' | 'isNamed' | 'history' | 'turns'
>;

/** Nothing but its record determines what is told of a workload in this state. */
export const inStep: WorkloadStatus = { state: 'in-step' };

/**
 * The state of a workload, from what the queue and the last look left behind. Nothing is planned: there may be tens of
 * thousands of workloads, and people watch them all.
 */
export function workloadStatus(view: StatusView, workload: TrackedWorkload): WorkloadStatus {
  const { queue, settle, settings, unfinished } = view;
  const { key, record } = workload;
  const openedMs = settle.openedMs(key);
  const settlingMs = openedMs === undefined ? 0 : settle.remainingMs(key, settleTimesOf(record.settings, settings));
  if (openedMs !== undefined && settlingMs > 0) {
    const until = wallTime(view, view.clock.monotonicMs() + settlingMs);
    return { state: 'pending', waitsFor: 'settle-window', since: wallTime(view, openedMs), until };
  }
  const look = unfinished.get(key);
  const isKept = look?.waitsFor === 'baseline-write' && settings.dryRun;
  if (look && !isKept) return unfinishedStatus(view, workload, look);
  const standing = queue.standing(key);
  if (standing === 'running') return { state: 'pending', waitsFor: 'turn' };
  // In a dry run each workload is looked at again from time to time, because its baseline is never written.
  if (standing && !(isKept && standing.dueMs > view.clock.monotonicMs())) {
    return { state: 'pending', waitsFor: 'turn', since: wallTime(view, standing.addedMs) };
  }
  if (usesUnknownSources(view, workload)) return { state: 'unknown', waitsFor: 'sources' };
  const unhealthyMs = view.history.unhealthySinceMs(key);
  return unhealthyMs === undefined ? inStep : { state: 'unhealthy', since: new Date(unhealthyMs).toISOString() };
}

function unfinishedStatus(
  view: StatusView,
  { key }: TrackedWorkload,
  { waitsFor, sinceMs, errorCode, closed }: UnfinishedLook,
): WorkloadStatus {
  const standing = view.queue.standing(key);
  return {
    state: stateOf(waitsFor),
    waitsFor,
    since: new Date(sinceMs).toISOString(),
    ...(closed
      ? gateFacts(view.turns.told(key) ?? closed)
      : typeof standing === 'object' && { until: wallTime(view, standing.dueMs) }),
    ...(errorCode !== undefined && { errorCode }),
  };
}

function stateOf(waitsFor: WaitReason): WorkloadStatus['state'] {
  switch (waitsFor) {
    case 'settle-window':
    case 'turn':
      return 'pending';
    case 'hold':
    case 'window':
    case 'interval':
    case 'next-rollout':
    case 'order':
    case 'stages':
    case 'pace':
    case 'rollout':
    case 'pause':
    case 'job':
    case 'earlier-job':
    case 'baseline-turn':
    case 'retry':
      return 'waiting';
    case 'permission':
    case 'fix':
    case 'baseline-write':
      return 'blocked';
    case 'sources':
      return 'unknown';
    default:
      return assertNever(waitsFor, 'reason to wait');
  }
}

/** Reroll looks at it more often than the gate opens. */
function gateFacts({ untilMs, detail }: ClosedGate): Pick<WorkloadStatus, 'until' | 'detail'> {
  return { ...(untilMs !== undefined && { until: new Date(untilMs).toISOString() }), detail };
}

/** SecretProviderClasses are an add-on, which may not be installed. */
const listedKinds = ['ConfigMap', 'Secret'] as const;

/** Whether a source may call for a restart of which nothing is known. */
function usesUnknownSources(view: StatusView, { record }: TrackedWorkload): boolean {
  const known = view.knownKinds(record.namespace);
  return listedKinds.some(
    (kind) => !known.has(kind) && isSourceKindWatched(view, kind) && usesUnknown(view, record, kind),
  );
}

function usesUnknown(view: StatusView, record: WorkloadRecord, kind: (typeof listedKinds)[number]): boolean {
  const { namespace, policy, references } = record;
  const { leftOut, named } = policy[kind];
  const used = references.filter((reference) => reference.kind === kind).map(({ name }) => name);
  return (
    (named.hasPatterns && !leftOut) ||
    [...used, ...named.literals].some(
      (name) => !view.isNamed({ kind, namespace, name }) && mayRestart(view, record, { kind, name }),
    )
  );
}

/** Whatever the annotations of the source, which are not known. */
function mayRestart({ settings }: StatusView, { kind, policy }: WorkloadRecord, source: LocalSourceRef): boolean {
  return decide(policy, kind, { ...source, ignore: false, match: true }, settings.policy).restart;
}
