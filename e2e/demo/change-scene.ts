import { describeCalls, type ApiCalls } from './api-calls';
import { keysTold, whyLeftAlone, whyRestarted, type Source } from './reasons';
import { workloadsOf, type SeenRestart } from './restarts';
import type { Mark, Stage } from './stage';
import { seconds } from './timeline';

/** A change of one source and its expected effects. */
export interface Change {
  readonly source: Source;
  /** Workloads that must be restarted once each, with the keys that each must name as the reason. */
  readonly restarts: Readonly<Record<string, readonly string[]>>;
  /** Workloads that use the source but must not be restarted; the timeline shows the reason for each. */
  readonly leftAlone: readonly string[];
  /** The API calls that the change must cost; undefined: not checked. */
  readonly cost?: ApiCalls;
  /** Follows the rollouts of the restarts in the timeline. */
  readonly follow?: () => Promise<void>;
  /** Makes the change and returns the moment from which the time until a restart is counted. */
  readonly make: () => Promise<Since>;
}

export interface Since {
  readonly what: string;
  readonly atMs: number;
}

interface Outcome {
  readonly mark: Mark;
  readonly since: Since;
  readonly seen: readonly SeenRestart[];
}

/** Makes a change, waits until everything is quiet, shows the effects and checks them. */
export async function playChange(stage: Stage, change: Change): Promise<void> {
  await stage.quiet();
  const mark = stage.mark();
  const since = await change.make();
  const owed = Object.keys(change.restarts);
  stage.owe(owed);
  await stage.until(() => stage.restartsSince(mark).length >= owed.length);
  // Only quiet proves that no further restart comes.
  await stage.quiet();
  // A new process writes its Events late, and none of them may fall into the next scene.
  if (stage.respawnedSince(mark)) await stage.until(() => stage.eventsSince(mark).length >= owed.length);
  const outcome = { mark, since, seen: stage.restartsSince(mark) };
  tellRestarts(stage, outcome);
  await change.follow?.();
  tellOthers(stage, change, outcome);
  check(stage, change, outcome);
}

function tellRestarts(stage: Stage, { mark, since, seen }: Outcome): void {
  const { timeline } = stage;
  const lines = stage.linesSince(mark);
  for (const { workload, atMs } of seen) {
    const why = whyRestarted(workload, lines) ?? 'not told: the process ended before it could';
    timeline.row('restarted', `${workload}, ${seconds(atMs - since.atMs)} after ${since.what}\n${why}`, { atMs });
  }
  if (seen.length === 0) timeline.row('restarted', 'nothing');
}

function tellOthers(stage: Stage, { source, leftAlone }: Change, { mark }: Outcome): void {
  const { timeline, cluster } = stage;
  const lines = stage.linesSince(mark);
  for (const workload of leftAlone) {
    const why = whyLeftAlone(cluster.workload(workload), source, lines);
    timeline.row('left alone', `${workload}\n${why}`, { tone: 'quiet' });
  }
  timeline.row('API calls', describeCalls(stage.callsSince(mark)), { tone: 'quiet' });
}

function check(stage: Stage, { source, restarts, cost }: Change, { mark, seen }: Outcome): void {
  const { checks, cluster } = stage;
  const owed = Object.keys(restarts).sort();
  const promise = owed.length === 0 ? 'nothing was restarted' : `restarted once, and nothing else: ${owed.join(', ')}`;
  checks.equal(promise, workloadsOf(seen), owed);
  // A process that dies loses what only it knew: the changed keys, the Events that were due, the calls already made.
  const respawned = stage.respawnedSince(mark);
  for (const [workload, keys] of Object.entries(restarts)) {
    const told = keysTold(cluster.workload(workload), source);
    checks.equal(`${workload} says what it was restarted for`, told, respawned && told === null ? null : keys);
  }
  if (respawned) return;
  if (owed.length > 0) checks.equal('an Event tells of each restart', stage.eventsSince(mark), owed);
  if (cost !== undefined) checks.equal('no other API calls were made', stage.callsSince(mark), cost);
}
