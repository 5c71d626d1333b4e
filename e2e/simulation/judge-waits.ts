import type { Case } from './case';
import type { Version } from './contents';
import type { Violation } from './judge';
import { isRestart } from './judge-engine-writes';
import { isOfEngine, isRolled, type Life } from './lives';
import { baselineOf } from './baseline-text';

/** A break of `settleMs` ends the wait for sources to settle. Without one it ends after `settleMaxMs`. */
const [settleMs, settleMaxMs] = [1_000, 10_000];
/** A restart must be written within this time after the wait, in a large world too. */
const slackMs = 4_000;

/** If nothing goes wrong, sources that keep changing delay a restart by no more than the longest wait. */
export function checkWaits(opened: Case): readonly Violation[] {
  return opened.present.filter(isRolled).flatMap((life) => runsOf(opened, life).flatMap((run) => checkRun(life, run)));
}

interface Run {
  readonly first: Version;
  last: Version;
}

function checkRun({ name, writes }: Life, { first, last }: Run): readonly Violation[] {
  const untilMs = first.atMs + settleMaxMs + slackMs;
  if (last.atMs < untilMs) return [];
  const restarted = writes.some(
    (write) => isOfEngine(write) && isRestart(write) && write.atMs > first.atMs && write.atMs <= untilMs,
  );
  if (restarted) return [];
  const sentence = `${name} was not restarted within ${settleMaxMs + slackMs} ms of revision ${first.revision}, while its sources kept changing`;
  return [{ promise: 'too late', sentence }];
}

/** The uninterrupted runs of changes to the content that the workload uses, since it was first recorded. */
function runsOf(opened: Case, life: Life): readonly Run[] {
  const recorded = life.writes.find((write) => isOfEngine(write) && baselineOf(write.object));
  if (!recorded) return [];
  const changes = [...opened.usageAt(life.writes[0].object)]
    .flatMap(([source, keys]) => opened.contents.changes(source, keys, recorded.revision, Infinity))
    .sort((left, right) => left.revision - right.revision);
  const runs: Run[] = [];
  for (const change of changes) {
    const run = runs.at(-1);
    if (run && change.atMs - run.last.atMs < settleMs) run.last = change;
    else runs.push({ first: change, last: change });
  }
  return runs;
}
