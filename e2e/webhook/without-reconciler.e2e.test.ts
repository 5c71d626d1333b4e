import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { configMap } from '../apiserver/cluster';
import { merge, type ContractClient } from '../apiserver/contract/contract-client';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { admissionFailures, noFailures } from './admission-counts';
import { App } from './app';
import { expectOneRestart } from './expect-restart';
import type { MetricSamples } from '../metric-samples';
import { untilCalled } from './probe';
import { metricsOf, namespace, RerollCluster } from './reroll-cluster';

const edits = 200;

let cluster: RerollCluster;
let alice: ContractClient;
let webhook: RerollProcess;

beforeAll(async () => {
  cluster = await RerollCluster.start();
  alice = await cluster.editor('alice');
  // Only a reconciler creates the digest key. Before there has been one, no change can be recorded.
  await (await cluster.reconciler()).end();
  webhook = await cluster.webhook();
  await untilCalled(cluster, webhook);
  await cluster.apply(configMap({ name: 'edited', namespace }));
});

afterAll(async () => await cluster.stop());

/** Edits one ConfigMap again and again. Expects that each edit is answered at once and becomes a record. */
async function expectAnswers(): Promise<void> {
  const [before, startMs] = [await metricsOf(webhook), Date.now()];
  for (let edit = 0; edit < edits; edit++) {
    const path = `/api/v1/namespaces/${namespace}/configmaps/edited`;
    const { status } = await alice.patch(path, merge, { data: { edit: `${startMs} ${edit}` } });
    expect(status).toBe(200);
  }
  // The webhook makes a record after its answer.
  const after = await pollUntil('a record of every edit', async () => {
    const metrics = await metricsOf(webhook);
    return recordsIn(metrics) - recordsIn(before) >= edits ? metrics : undefined;
  });
  expect(recordsIn(after) - recordsIn(before)).toBe(edits);
  expect(after.sum('reroll_webhook_shed_total')).toBe(0);
  // Not all of them, because this machine may have been busy.
  const soon = (metrics: MetricSamples): number =>
    metrics.sum('reroll_webhook_review_duration_seconds_bucket', { le: '0.1' });
  expect(soon(after) - soon(before)).toBeGreaterThan(0.95 * edits);
}

function recordsIn(metrics: MetricSamples): number {
  return metrics.sum('reroll_webhook_records_total', { result: 'sent' });
}

/** Accepts connections, and sends nothing. */
async function startSilentServer(port: number): Promise<{ close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it('with no reconciler to talk to, reviews are answered all the same, and lost records are counted', async () => {
  await expectAnswers();
  await pollUntil('the webhook to have given up every record', async () => {
    const metrics = await metricsOf(webhook);
    const dropped = metrics.sum('reroll_channel_dropped_records_total', { reason: 'unreachable' });
    return dropped === recordsIn(metrics) ? true : undefined;
  });
});

it('with a reconciler that does not answer', async () => {
  const silent = await startSilentServer(cluster.channelPorts[0]!);
  try {
    await expectAnswers();
  } finally {
    await silent.close();
  }
});

it('with a reconciler, in the same time; and it is found without anybody telling', async () => {
  const reconciler = await cluster.reconciler();
  await expectAnswers();
  await expectOneRestart(await App.create(cluster, 'web'), { alice, reconciler, path: 'both' });
});

it('no call of the webhook failed', async () => {
  expect(await admissionFailures(cluster)).toEqual(noFailures);
});
