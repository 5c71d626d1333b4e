import type { StageSettings } from '../gate-settings/stage-settings';
import type { WorkloadKey } from '../plan/tracked-workload';
import type { RolloutHealth } from '../workloads/rollout-health';

/** A user of a source that has restarted since the source has its current content, and has that. */
export interface RestartedUser {
  readonly key: WorkloadKey;
  /** `Deployment web` */
  readonly title: string;
  readonly restartedAtMs: number;
  /** It restarted for this content, as it notes itself. Otherwise it was for something else, later. */
  readonly isForIt: boolean;
  /** It has restarted for something else since. When it restarted for this content is not known any more. */
  readonly hasRestartedSince: boolean;
  readonly state: RolloutHealth['state'];
  /** From when its deadline counts; undefined: it has none. A Job that runs for long is not broken; only one that failed is. */
  readonly deadlineFromMs: number | undefined;
  /** Since when it is seen to be healthy, without a break; undefined: it is not. */
  readonly healthySinceMs: number | undefined;
  /** What people must know of its health checks: which one does not pass, or has no effect. */
  readonly check?: string;
}

/** One source with its current content, and what has become of its users. */
export interface SourceRollout {
  /** All that restart in stages, whether they have restarted yet or not. */
  readonly users: number;
  readonly restarted: readonly RestartedUser[];
  readonly nowMs: number;
}

/** Who may restart now for one content of one source. */
export type RolloutStage =
  /** All of them. */
  | { readonly is: 'open' }
  /** So many more, the first ones in their order. */
  | { readonly is: 'begins'; readonly mayBegin: number; readonly untilMs: number }
  /** Nobody, until those that went first are healthy and have been for a time. Looked at again at `untilMs`. */
  | { readonly is: 'waits'; readonly waitsFor: RestartedUser; readonly untilMs: number }
  /** Nobody, because this one is not healthy. */
  | { readonly is: 'stopped'; readonly failed: RestartedUser }
  /** Nobody, because this content has broken some before, and an earlier one was put back. */
  | { readonly is: 'rolled-back' };

const open: RolloutStage = { is: 'open' };

/**
 * A change goes to one user first, then to a tenth of all, then to the rest. Everything is read from what the cluster
 * shows: how many have restarted for it tells which stage it is, because a stage begins only when the one before is
 * healthy. So the users that restarted before this stage have proved what they had to, whatever becomes of their pods later.
 * One user alone waits for nobody, and is judged like the first of many.
 */
export function rolloutStage({ users, restarted, nowMs }: SourceRollout, settings: StageSettings): RolloutStage {
  const [canary, tenth] = [1, mostJudged(users)];
  const ofRollout = restarted.filter(({ isForIt }) => isForIt);
  // Those that have restarted for something else did not wait for anybody to be healthy.
  if (ofRollout.length > tenth) return open;
  const isTenth = ofRollout.length > canary;
  const ofStage = usersOfStage(restarted);
  const failed = ofStage.find((user) => hasFailed(user, settings, nowMs));
  if (failed) return { is: 'stopped', failed };
  const mayBegin = (isTenth ? tenth : canary) - ofRollout.length;
  if (mayBegin > 0) return { is: 'begins', mayBegin, untilMs: firstDeadlineMs(ofStage, settings) };
  const waitsFor = ofStage.find((user) => healthyAtMs(user, settings) > nowMs);
  if (waitsFor) return { is: 'waits', waitsFor, untilMs: untilNewsMs(ofStage, settings, nowMs) };
  // The canary alone may be all that there is to prove.
  return isTenth || tenth >= users ? open : { is: 'begins', mayBegin: tenth - ofRollout.length, untilMs: Infinity };
}

/**
 * Those of the restarted users that are judged now. The first one has proved what it had to once others have followed. If
 * one has restarted for something else since, nobody knows which one was first, so all are judged.
 */
export function usersOfStage<User extends Pick<RestartedUser, 'isForIt' | 'hasRestartedSince' | 'restartedAtMs'>>(
  restarted: readonly User[],
): readonly User[] {
  const forIt = restarted.filter(({ isForIt }) => isForIt);
  const [first, ...others] = forIt;
  if (!first || others.length === 0 || forIt.some(({ hasRestartedSince }) => hasRestartedSince)) return restarted;
  const proved = others.reduce(
    (earliest, user) => (user.restartedAtMs < earliest.restartedAtMs ? user : earliest),
    first,
  );
  return restarted.filter((user) => user !== proved);
}

function hasFailed(user: RestartedUser, settings: StageSettings, nowMs: number): boolean {
  return user.state === 'failed' || deadlineMs(user, settings) <= nowMs;
}

function deadlineMs(user: RestartedUser, settings: StageSettings): number {
  const isOpen = user.state === 'rolling' || user.state === 'held';
  return isOpen && user.deadlineFromMs !== undefined ? user.deadlineFromMs + settings.deadlineMs : Infinity;
}

function healthyAtMs({ healthySinceMs }: RestartedUser, { healthyForMs }: StageSettings): number {
  return healthySinceMs === undefined ? Infinity : healthySinceMs + healthyForMs;
}

function firstDeadlineMs(users: readonly RestartedUser[], settings: StageSettings): number {
  return users.reduce((firstMs, user) => Math.min(firstMs, deadlineMs(user, settings)), Infinity);
}

/** When all are healthy for long enough, if nothing else happens, or when one of them is out of time. */
function untilNewsMs(users: readonly RestartedUser[], settings: StageSettings, nowMs: number): number {
  const healthyMs = users.reduce((lastMs, user) => Math.max(lastMs, healthyAtMs(user, settings)), nowMs);
  return Math.min(healthyMs, firstDeadlineMs(users, settings));
}

/** If more users than this have restarted for a content, the rest may, however these are. */
export function mostJudged(users: number): number {
  return 1 + Math.ceil(users / 10);
}
