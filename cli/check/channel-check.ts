import { valueOf } from '../evidence/seen';
import { enumerated } from '../output/phrases';
import { ago } from '../output/times';
import { counted } from '../output/text-style';
import { metricSum } from '../parts/metric-values';
import type { Facts } from '../parts/facts';
import { failed, ok, together, unknown, warning, type Check, type Finding } from './finding';
import { withoutPod } from './no-pod';

const refusalFixes: Readonly<Record<string, string>> = {
  malformed: 'run webhook and reconciler of one version',
  foreign_key: 'restart webhook and reconciler: they read the Secret reroll-digest-key when they start',
  stale: 'compare the clocks of the nodes',
  refused: 'nothing, if it was a flood: the webhook sends such records again',
};

/** The webhook finds the reconcilers, and they take what it reports. */
export const channelCheck: Check = {
  name: 'channel',
  look: async (facts) => {
    const webhook = valueOf(await facts.part('webhook'));
    if (webhook?.replicas === 0) return ok('there is no webhook');
    const metrics = await facts.webhookMetrics();
    if (!webhook && (metrics.is !== 'there' || metrics.value.length === 0)) return await withoutPod(facts, metrics);
    const lost =
      metrics.is === 'there'
        ? metrics.value.filter(({ text }) => metricSum(text, 'reroll_channel_replicas') === 0)
        : [];
    return together(
      await received(facts),
      ...(lost.length === 0
        ? []
        : [
            failed(
              `${enumerated(lost.map(({ pod }) => pod))} of the webhook knows no reconciler`,
              'the Service of the channel needs ready endpoints: see --channel-service, --channel-listen and the labels of the reconcilers',
            ),
          ]),
      ...(metrics.is === 'hidden'
        ? [unknown(`which reconcilers the webhook knows is not known: ${metrics.right}`)]
        : []),
    );
  },
};

async function received(facts: Facts): Promise<Finding> {
  const health = await facts.health();
  if (health.silence) return unknown('the leader was not asked what it receives');
  const { records } = health.said;
  if (!records) {
    const { callsInstead } = await facts.install();
    if (callsInstead) return ok('with --webhook-url the leader takes no change records');
    return unknown('the leader does not tell what it receives: it has no digest key yet, or is older');
  }
  const { taken, refused, lastTakenAt, lastRefusedAt, lastRefusedBecause } = records;
  const agoOf = (time: string): string => ago(facts.nowMs() - Date.parse(time));
  const isRefusing = lastRefusedAt !== undefined && (lastTakenAt === undefined || lastRefusedAt > lastTakenAt);
  if (isRefusing) {
    return warning(
      `the leader refused ${counted(refused, 'change record')}, the last ${agoOf(lastRefusedAt)} (${lastRefusedBecause ?? 'no reason'})`,
      refusalFixes[lastRefusedBecause ?? ''] ?? 'see the log of the leader',
    );
  }
  if (lastTakenAt !== undefined)
    return ok(`the leader took ${counted(taken, 'change record')}, the last ${agoOf(lastTakenAt)}`);
  return unknown(
    'no change record has arrived since the leader started, which may be right',
    'change a ConfigMap that a workload uses, and check again',
  );
}
