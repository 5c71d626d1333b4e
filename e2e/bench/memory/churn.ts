import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { secret } from '../../apiserver/cluster';
import { merge } from '../../apiserver/contract/contract-client';
import { bigCluster } from '../big-cluster';
import { inParallel } from '../population';
import { forgetPeak, processUsage } from '../process-usage';
import type { Figure } from '../result';
import { created, createNamespace, type Stage } from '../stage';
import type { RunningSubject } from '../subject';
import { isWholeList } from '../whole-lists';
import type { Starter } from './starter';

const mb = 1e6;

/** A quarter of the Secrets, all those that are used among them. */
const edits = { count: 5_000, seconds: 12, editedBytes: 1024 };

const bursts = { events: 20_000, secrets: 200, kib: 10, namespace: 'burst' };

export const churn = {
  description: `${edits.count} of the Secrets get a new value each, used ones among them, in ${edits.seconds} s`,
};
export const burst = {
  description: `${bursts.events} edits of ${bursts.secrets} Secrets of ${bursts.kib} KiB that nobody uses, as fast as they are taken`,
};

/** After it: time to deal with what came last. */
const quietSeconds = 3;

export async function prepareBurst(stage: Stage): Promise<void> {
  const { namespace, kib, secrets } = bursts;
  await createNamespace(stage.api, namespace);
  await inParallel(secrets, async (index) => {
    const data = { content: randomBytes((kib * 1024 * 3) / 4).toString('base64') };
    await created(stage.api, path(namespace), secret({ name: `secret-${index}`, namespace, data }));
  });
}

/** What the subject needs over what it had when it was settled, while much changes; and whether it lists again. */
export async function measureChurn(
  stage: Stage,
  starter: Starter,
  tell: (what: string) => void,
): Promise<readonly Figure[]> {
  const { running } = await starter.start();
  try {
    tell(`${churn.description} …`);
    const edited = await disturbed(stage, running, 'churn', async () => await editSecrets(stage));
    tell('settling …');
    await delay(10_000);
    tell(`${burst.description} …`);
    return [...edited, ...(await disturbed(stage, running, 'burst', async () => await editAtOnce(stage)))];
  } finally {
    await running.end();
  }
}

async function disturbed(
  stage: Stage,
  { pid, metrics }: RunningSubject,
  name: string,
  disturb: () => Promise<void>,
): Promise<readonly Figure[]> {
  const seenBefore = await secretEvents(metrics);
  const requestsBefore = (await stage.requestsOf('subject')).length;
  forgetPeak(pid);
  const before = processUsage(pid);
  const startMs = performance.now();
  await disturb();
  const seconds = (performance.now() - startMs) / 1000;
  await delay(quietSeconds * 1000);
  const after = processUsage(pid);
  const seen = await secretEvents(metrics);
  const requests = (await stage.requestsOf('subject')).slice(requestsBefore);
  return [
    { name: `${name}: time it took to write`, value: seconds, unit: 's' },
    ...(seen === undefined || seenBefore === undefined
      ? []
      : [{ name: `${name}: events the subject has seen`, value: seen - seenBefore, unit: '' }]),
    { name: `${name}: RSS before`, value: before.residentBytes / mb, unit: 'MB' },
    {
      ...{ name: `${name}: peak RSS over that`, unit: 'MB', bar: { atMost: 30 } },
      value: (after.peakResidentBytes - before.residentBytes) / mb,
    },
    { name: `${name}: CPU of the subject`, value: after.cpuSeconds - before.cpuSeconds, unit: 's' },
    { name: `${name}: whole lists read`, value: requests.filter(isWholeList).length, unit: '', bar: { atMost: 0 } },
    {
      ...{ name: `${name}: lists of one object`, unit: '' },
      value: requests.filter((request) => request.verb === 'list' && !isWholeList(request)).length,
    },
    { name: `${name}: requests of the subject`, value: requests.length, unit: '' },
  ];
}

async function editSecrets({ api }: Stage): Promise<void> {
  const perNamespace = edits.count / bigCluster.namespaces.length;
  const startMs = performance.now();
  await inParallel(edits.count, async (index) => {
    const waitMs = startMs + (index / edits.count) * edits.seconds * 1000 - performance.now();
    if (waitMs > 0) await delay(waitMs);
    const namespace = bigCluster.namespaces[Math.floor(index / perNamespace)] ?? '';
    await patched(api, namespace, `secret-${index % perNamespace}`, { 'key-0': value(edits.editedBytes) });
  });
}

async function editAtOnce({ api }: Stage): Promise<void> {
  await inParallel(bursts.events, async (index) => {
    await patched(api, bursts.namespace, `secret-${index % bursts.secrets}`, { edit: value(9) });
  });
}

async function patched(api: Stage['api'], namespace: string, name: string, data: object): Promise<void> {
  const { status, bytes } = await api.patch(`${path(namespace)}/${name}`, merge, { data });
  if (status !== 200) throw new Error(`PATCH ${path(namespace)}/${name}: ${String(status)} ${bytes.toString()}`);
}

function value(bytes: number): string {
  return randomBytes(bytes).toString('base64');
}

function path(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/secrets`;
}

async function secretEvents(metrics: RunningSubject['metrics']): Promise<number | undefined> {
  const labels = { event_type: 'update', resource_type: 'secrets' };
  return (await metrics())?.sum('reloader_events_received_total', labels);
}
