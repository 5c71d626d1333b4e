import { counted } from '../output/text-style';
import { ok, together, unknown, warning, type Check, type Finding } from './finding';

/** Certificates and tokens are judged by each clock; records of the webhook are refused at a minute. */
const noticeableMs = 10_000;

/** The clocks of this machine and of the leader's node agree with the API server's. */
export const clockCheck: Check = {
  name: 'clocks',
  look: async (facts) => {
    const here = facts.options.clock.nowMs() - facts.nowMs();
    const health = await facts.health();
    const leaders = health.silence ? undefined : health.said.clockAheadMs;
    return together(
      ok("this machine and the leader's node agree with the API server"),
      skew('the clock of this machine', here, 'set it: the credentials of a kubeconfig may seem to have expired'),
      leaders === undefined
        ? unknown(
            `the clock of the leader's node is not known: ${health.silence ? 'it was not asked' : 'this version does not tell'}`,
          )
        : skew("the clock of the leader's node", leaders, 'run NTP on the nodes; Reroll itself goes by the API server'),
    );
  },
};

function skew(what: string, aheadMs: number, fix: string): Finding {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  if (Math.abs(aheadMs) < noticeableMs) return ok('');
  return warning(
    `${what} is ${counted(seconds, 'second')} ${aheadMs > 0 ? 'ahead of' : 'behind'} the API server's`,
    fix,
  );
}
