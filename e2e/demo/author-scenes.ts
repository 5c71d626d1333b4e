import { playChange } from './change-scene';
import { agentConfig, appConfig, edit } from './edits';
import { person } from './shop-cluster';
import type { Mark, Stage } from './stage';
import { seconds } from './timeline';

/** The webhook's timeout in its registration. */
const webhookTimeoutMs = 2_000;

const searchLimitMs = 5_000;
const searchPollMs = 20;

/** Starts the webhook: from now on, the API server asks it about every write of a source. */
export async function playAuthor(stage: Stage): Promise<void> {
  const { cluster, timeline, checks } = stage;
  const unanswered = cluster.webhookCalls.length;
  timeline.row('until now', `the API server had nobody to ask, and let ${String(unanswered)} writes pass`, {
    tone: 'quiet',
  });
  await stage.certificates;
  timeline.row('certified', 'by reroll certs: a CA in the registration, a certificate each for webhook and channel');
  await startWebhook(stage);

  const mark = stage.mark();
  await playChange(stage, {
    source: appConfig,
    restarts: { 'Deployment web': ['color'] },
    leftAlone: [],
    make: async () => {
      const since = await edit(stage, appConfig, { color: 'red' });
      tellCalls(stage, mark);
      return since;
    },
  });
  for (const text of stage.eventTextsSince(mark)) timeline.row('Event', text);
  if (stage.respawnedSince(mark)) return;
  checks.equal('the API server asked the webhook', callsSince(stage, mark), [undefined]);
  const words = `content changed (keys: color) by ${person.name} (${person.tool})`;
  checks.equal(
    'the Event names who changed it, with what, and the key',
    stage.eventTextsSince(mark).map((text) => text.includes(words)),
    [true],
  );
}

/** Kills the webhook; the next write comes before anybody has noticed. */
export async function playWithoutWebhook(stage: Stage): Promise<void> {
  const { checks, webhook, cluster, clock, timeline } = stage;
  await stage.quiet();
  await webhook.killAndHold();
  const mark = stage.mark();
  let tookMs = 0;
  await playChange(stage, {
    source: agentConfig,
    restarts: { 'DaemonSet agent': ['interval'] },
    leftAlone: [],
    make: async () => {
      const startMs = clock.monotonicMs();
      const since = await edit(stage, agentConfig, { interval: '20s' });
      tookMs = clock.monotonicMs() - startMs;
      tellCalls(stage, mark);
      return since;
    },
  });
  for (const text of stage.eventTextsSince(mark)) timeline.row('Event', text);
  checks.equal('the API server asked nobody, and went on', cluster.webhookCalls.length - mark.webhookCalls, 1);
  checks.equal('the write was not held up', tookMs < webhookTimeoutMs, true);
  if (stage.respawnedSince(mark)) return;
  checks.equal(
    'the Event names no author',
    stage.eventTextsSince(mark).map((text) => text.includes(person.name)),
    [false],
  );
}

/** Starts the webhook and waits until it can be called and has found the reconciler, or the time limit is over. */
async function startWebhook(stage: Stage): Promise<void> {
  const { webhook, clock } = stage;
  webhook.start();
  const untilMs = clock.monotonicMs() + searchLimitMs;
  while (clock.monotonicMs() < untilMs) {
    await stage.until(() => webhook.readySinceMs !== undefined);
    if (await hasFoundReconciler(webhook.metricsAddress)) return;
    await stage.pause(searchPollMs);
  }
}

async function hasFoundReconciler(metricsAddress: string | undefined): Promise<boolean> {
  if (metricsAddress === undefined) return false;
  try {
    const text = await (await fetch(`http://${metricsAddress}/metrics`)).text();
    return text.includes('\nreroll_channel_replicas 1\n');
  } catch {
    // The webhook may have died in the meantime.
    return false;
  }
}

function callsSince({ cluster }: Stage, { webhookCalls }: Mark): readonly (string | undefined)[] {
  return cluster.webhookCalls.slice(webhookCalls).map(({ failedOpen }) => failedOpen);
}

function tellCalls({ cluster, timeline }: Stage, { webhookCalls }: Mark): void {
  for (const { webhook, tookMs, failedOpen } of cluster.webhookCalls.slice(webhookCalls)) {
    const outcome = failedOpen === undefined ? 'allowed' : `no answer: ${failedOpen}; the write went on`;
    timeline.row('asked', `${webhook}, after ${seconds(tookMs)} ${outcome}`, {
      tone: failedOpen === undefined ? 'plain' : 'warning',
    });
  }
}
