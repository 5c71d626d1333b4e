import type { KubeObject } from '../apiserver/objects';
import type { Case } from './case';
import type { Violation } from './judge';
import { isRestart } from './judge-engine-writes';
import { withoutOurs } from './without-ours';
import { isGone, isOfEngine, type Life } from './lives';
import { endsPause, pauseOf } from './pause-text';

/**
 * A pause must begin with the restart of a Deployment that requests one, in the same write as its annotation. It must
 * not end early, unless somebody else ends it.
 */
export function checkPause({ rules }: Case, life: Life): readonly Violation[] {
  const write = life.writes.at(-1);
  if (!write?.previous) return [];
  const at = `${life.name} at revision ${write.revision} by ${write.user}`;
  const found = (sentence: string): readonly Violation[] => [
    { promise: 'wrong pause', sentence: `${at}: ${sentence}` },
  ];
  const before = pauseOf(write.previous);
  const after = pauseOf(write.object);
  if (endsPause(write)) {
    if (!sameBut(write.previous, write.object)) return found('more than the pause was ended');
    if (after.paused) return found('the note of a pause was taken away, and it stays paused');
    const { paused, periodMs, pausedAt = '' } = before;
    const untilMs = Date.parse(pausedAt) + (periodMs ?? 0);
    const early = paused && rules.clocksAreRight && write.atMs < untilMs;
    return early ? found(`resumed before ${new Date(untilMs).toISOString()}`) : [];
  }
  if (!isOfEngine(write)) return [];
  const owed = isRestart(write) && before.periodMs !== undefined && !before.paused;
  if (owed) return after.paused && after.pausedAt !== undefined ? [] : found('a pause is asked for and did not begin');
  const same = before.paused === after.paused && before.pausedAt === after.pausedAt;
  return same ? [] : found('a pause began or ended that is nobody’s business');
}

/** In the end no workload may still carry the annotation of a pause. */
export function checkHeld({ lives }: Case): readonly Violation[] {
  return lives
    .filter((life) => !isGone(life))
    .flatMap(({ name, writes }): readonly Violation[] => {
      const { pausedAt } = pauseOf((writes.at(-1) ?? writes[0]).object);
      return pausedAt === undefined ? [] : [{ promise: 'wrong pause', sentence: `${name} is held since ${pausedAt}` }];
    });
}

function sameBut(previous: KubeObject, object: KubeObject): boolean {
  const text = ({ metadata: { annotations, ...metadata }, ...rest }: KubeObject): string =>
    JSON.stringify([withoutOurs({ ...rest, metadata }), annotations?.['reroll.dev/baseline']]);
  return text(previous) === text(object);
}
