import { ago } from '../output/times';
import { headline, type Headline, type TrackedCase } from './case';
import { lastRestartBecause } from './changes';

/** The last restart, and why; undefined: there was none. */
export function restartHeadline(about: TrackedCase): Headline | undefined {
  const { account, facts, nowMs } = about;
  const { lastRestart } = account;
  if (!lastRestart) return undefined;
  const { at, id } = lastRestart;
  const when = ago(nowMs - Date.parse(at));
  const why = lastRestartBecause(about);
  const held = facts?.heldBy === undefined ? '' : `, but ${facts.heldBy}`;
  if (facts?.cause?.id === id && facts.cause.isLeftToNextRun) {
    return headline(`has the change for its next run since ${when} because ${why ?? 'a source of it changed'}`);
  }
  return headline(`restarted ${when}${why === undefined ? ` (restart ${id})` : ` because ${why}`}${held}`);
}
