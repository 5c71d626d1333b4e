import { describeCalls, type ApiCalls } from './api-calls';
import { keysTold, whyLeftAlone, whyRestarted, type Source } from './reasons';
import { workloadsOf, type SeenRestart } from './restarts';
import type { Mark, Stage } from './stage';
import { seconds } from './timeline';

/** A change of one source, and what is owed for it. */
export interface Change {
  readonly source: Source;
  /** Workloads that are owed one restart each, and the keys that each has to name as the reason. */
  readonly restarts: Readonly<Record<string, readonly string[]>>;
  /** Workloads that use the source and are to be left alone: each is told with its reason. */
  readonly leftAlone: readonly string[];
  /** What the restarts may cost; undefined: not compared. */
  readonly cost?: ApiCalls;
  /** What is to be seen of the restarts, told after them. */
  readonly follow?: () => Promise<void>;
  /** Does it, and says from when on the time until a restart counts. */
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

/** Makes a change, waits until everything has come to rest, tells what came of it, and checks that. */
export async function playChange(stage: Stage, change: Change): Promise<void> {
  await stage.quiet();
  const mark = stage.mark();
  const since = await change.make();
  const owed = Object.keys(change.restarts);
  stage.owe(owed);
  await stage.until(() => stage.restartsSince(mark).length >= owed.length);
  // Only when all is quiet is it known that nothing more comes.
  await stage.quiet();
  // Who has just begun is slow to write its Events, and none of them may come into the next scene.
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
  // A process that dies takes with it what it alone knew: which keys they were, which Event was due, which calls it made.
  const respawned = stage.respawnedSince(mark);
  for (const [workload, keys] of Object.entries(restarts)) {
    const told = keysTold(cluster.workload(workload), source);
    checks.equal(`${workload} says what it was restarted for`, told, respawned && told === null ? null : keys);
  }
  if (respawned) return;
  if (owed.length > 0) checks.equal('an Event tells of each restart', stage.eventsSince(mark), owed);
  if (cost !== undefined) checks.equal('no other API calls were made', stage.callsSince(mark), cost);
}
