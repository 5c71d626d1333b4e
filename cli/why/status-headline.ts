import { workloadKinds } from '../../shared/domain/kubernetes/workload-kinds';
import type { ToldDeferral } from '../../shared/domain/protocol/deferral';
import { resourceName } from '../../shared/kube/resource';
import { ago, within } from '../output/times';
import { bad, headline, type Headline, type TrackedCase } from './case';
import { lastRestartBecause, owedBecause } from './changes';
import { whyDeferred } from './deferred';

/** What a workload waits for, or what keeps Reroll from restarting it; undefined: nothing that explains anything. */
export function statusHeadline(about: TrackedCase): Headline | undefined {
  const { account, install, nowMs } = about;
  const { state, waitsFor, restart, errorCode = 'no code' } = account;
  const because = owedBecause(about);
  const [soon, isOwed] = [untilOf(about), restart === 'owed'];
  switch (waitsFor) {
    case undefined:
      if (state === 'unhealthy') return bad(unhealthyText(about));
      return isOwed ? headline(`restarts next because ${because}`) : undefined;
    case 'settle-window':
      if (restart === 'not-owed') return undefined;
      return headline(
        isOwed
          ? `restarts ${soon} because ${because}: Reroll waits until its sources are quiet (--settle)`
          : `may restart ${soon}: a source of it changed, and Reroll waits until its sources are quiet (--settle)`,
      );
    case 'turn':
      if (restart === 'not-owed') return undefined;
      return headline(
        isOwed ? `restarts next because ${because}` : 'is looked at next: a source of it may have changed',
      );
    case 'hold':
    case 'window':
    case 'interval':
    case 'next-rollout':
    case 'order':
    case 'stages':
    case 'pace':
      if (restart === 'not-owed') return undefined;
      return headline(`is not restarted yet although ${because}: ${whyDeferred(toldDeferral(about, waitsFor), nowMs)}`);
    case 'rollout':
      return headline(
        `is not restarted yet although ${because}: somebody else's rollout is in progress and may bring the change; Reroll looks again ${soon}`,
      );
    case 'pause': {
      const cause = lastRestartBecause(about);
      const why = cause === undefined ? '' : ` because ${cause}`;
      return headline(
        `restarts ${soon}${why}: Reroll holds it paused until then (${install.settings.keys.pausePeriod})`,
      );
    }
    case 'job':
      return headline(`is being restarted because ${because}: Reroll recreates the Job`);
    case 'earlier-job':
      return headline(
        `is not looked at yet: Reroll recreates an earlier Job of this name, or cannot read whether it does; it looks again ${soon}`,
      );
    case 'retry':
      return headline(
        isOwed
          ? `is not restarted yet although ${because}: the last attempt failed (${errorCode}), and Reroll tries again ${soon}`
          : `is not written yet: the last attempt to record what its pods run with failed (${errorCode}), and Reroll tries again ${soon}`,
      );
    case 'permission':
      return bad(
        `cannot be restarted although ${because}: Reroll lacks a permission${detail(about) || ` (${errorCode})`}`,
      );
    case 'fix':
      return bad(
        `cannot be restarted although ${because}: the API server refuses the write${detail(about) || ` (${errorCode})`}`,
      );
    case 'sources':
      return headline(
        'may miss changes: Reroll is not allowed to list the sources that it uses, or has not listed them yet',
      );
    case 'baseline-turn':
    case 'baseline-write':
      return undefined;
    default:
      return headline(`is ${state}: it waits for ${waitsFor}`);
  }
}

/** It has the change, and that is what is wrong. */
function unhealthyText(about: TrackedCase): string {
  const { account, nowMs } = about;
  const { lastRestart } = account;
  const when = lastRestart === undefined ? '' : ` ${ago(nowMs - Date.parse(lastRestart.at))}`;
  const why = lastRestartBecause(about);
  const reason = lastRestart?.reason === undefined ? '' : `: ${lastRestart.reason}`;
  return `is not healthy since its restart${when}${why === undefined ? '' : ` because ${why}`}${reason}`;
}

/** At the end: something that does not explain a restart, but that somebody must look at. */
export function baselineHeadline(about: ReportedCase): Headline | undefined {
  if (about.account.waitsFor !== 'baseline-write') return undefined;
  const risk = 'the next leader may restart it again, or miss a change made while Reroll is down';
  return bad(`is in step, but its newest baseline is not stored, so ${risk}${detail(about, 'BaselineRemoved')}`);
}

function toldDeferral({ account: { until, detail: what = 'a gate' } }: TrackedCase, gate: string): ToldDeferral {
  return { gate, detail: what, ...(until !== undefined && { until }) };
}

/** When Reroll looks at it again. */
function untilOf({ account: { until }, nowMs }: TrackedCase): string {
  return until === undefined ? 'soon' : within(Date.parse(until) - nowMs);
}

/** Events have whole seconds, and Reroll writes one before it notes what it waits for. */
const maxEventLeadMs = 2_000;

/** What of a case tells why a write fails. */
interface ReportedCase extends Pick<TrackedCase, 'events' | 'missingPermissions'> {
  readonly account: Pick<TrackedCase['account'], 'kind' | 'since' | 'waitsFor'>;
}

/** Why its writes fail, by the newest Event about that; `besides` is a reason of Events beside failed restarts. */
function detail({ account: { kind, since }, events, missingPermissions }: ReportedCase, besides?: string): string {
  const fromMs = since === undefined ? 0 : Date.parse(since) - maxEventLeadMs;
  const failure = events.find(({ reason, atMs }) => (reason === 'ReloadFail' || reason === besides) && atMs >= fromMs);
  const message = failure?.message ?? missingPermissions.find((missing) => isOfPatch(missing, kind));
  return message === undefined ? '' : `: ${message}`;
}

/** Other rights may be missing too, also those to patch other kinds, and keep this workload from nothing. */
function isOfPatch(missing: string, kindName: string): boolean {
  const kind = workloadKinds.find((each) => each.kind === kindName);
  return kind !== undefined && missing.startsWith(`missing permission to patch ${resourceName(kind.resource)}: `);
}
