import type { Case } from './case';
import { sameKeys, type Version } from './contents';
import type { Darkness } from './hybrid-world';
import type { Violation } from './judge';
import { startMs } from './loop';
import { isRestart } from './judge-engine-writes';
import { isOfEngine, isRolled, type Life } from './lives';

/**
 * The longest time from the last of some changes to the restart: the wait for a watch, a read that came before the
 * write and the one after it, the settle window, and latencies.
 */
const boundMs = 300 + 1_000 + 1_000 + 1_200;
/** A change that comes sooner than this after another may share its restart. */
const apartMs = 4_000;

/**
 * If the watches of sources are cut and nothing else fails, each change must be acted on in time by the webhook alone.
 */
export function checkLate(opened: Case, dark: Darkness): readonly Violation[] {
  return opened.present.filter(isRolled).flatMap((life) =>
    burstsOf(opened, life).flatMap(({ first, last }): readonly Violation[] => {
      const untilMs = last.atMs + boundMs;
      if (first.atMs - startMs < dark.fromMs || untilMs - startMs > dark.toMs) return [];
      if (!differs(opened, life, first.revision - 1, last.revision)) return [];
      const restarted = life.writes.some(
        (write) => isOfEngine(write) && isRestart(write) && write.atMs > first.atMs && write.atMs <= untilMs,
      );
      if (restarted) return [];
      const sentence = `${life.name} was not restarted within ${boundMs} ms for what changed at revisions ${first.revision} to ${last.revision}, while the watch was cut`;
      return [{ promise: 'too late', sentence }];
    }),
  );
}

function burstsOf(opened: Case, life: Life): readonly { readonly first: Version; readonly last: Version }[] {
  const born = life.writes[0];
  // An edit that does not count extends the settle window, too: the log says why it restarts nothing.
  const changes = [...opened.usageOf(born.object)]
    .flatMap(([source]) => opened.contents.changes(source, 'all', born.revision, Infinity))
    .sort((left, right) => left.revision - right.revision);
  const bursts: { first: Version; last: Version }[] = [];
  for (const change of changes) {
    const burst = bursts.at(-1);
    if (burst && change.atMs - burst.last.atMs < apartMs) burst.last = change;
    else bursts.push({ first: change, last: change });
  }
  return bursts;
}

function differs(opened: Case, life: Life, before: number, after: number): boolean {
  const { contents } = opened;
  return [...opened.usageAt(life.writes[0].object)].some(
    ([source, keys]) => !sameKeys(contents.at(source, before), contents.at(source, after), keys),
  );
}
