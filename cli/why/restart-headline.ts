import { ago } from '../output/times';
import { headline, type Headline, type TrackedCase } from './case';
import { restartedBecause } from './changes';

/** The last restart, and why; undefined: there was none. */
export function restartHeadline({ account, facts, events, nowMs }: TrackedCase): Headline | undefined {
  const { lastRestart } = account;
  if (!lastRestart) return undefined;
  const { at, id } = lastRestart;
  const when = ago(nowMs - Date.parse(at));
  const cause = facts?.cause?.id === id ? facts.cause : undefined;
  const event = events.find(({ reason, message }) => reason === 'Reloaded' && message.includes(id))?.message;
  const why = (cause && restartedBecause(cause)) ?? event?.replace(/\. \w+ restarted .*$/, '');
  const held = facts?.heldBy === undefined ? '' : `, but ${facts.heldBy}`;
  if (cause?.isLeftToNextRun === true) {
    return headline(`has the change for its next run since ${when} because ${why ?? 'a source of it changed'}`);
  }
  return headline(`restarted ${when}${why === undefined ? ` (restart ${id})` : ` because ${why}`}${held}`);
}
