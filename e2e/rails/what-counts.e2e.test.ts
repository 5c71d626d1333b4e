import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestNamespace } from '../cluster/test-namespace';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { RerollCluster } from '../webhook/reroll-cluster';
import { GatedApp } from './gated-app';

const keys = 'reroll.dev/keys';
const compare = 'reroll.dev/compare';

/** A Lease ends after 15 s. */
const takeoverMs = 60_000;

let cluster: RerollCluster;
/** A restart here proves that everything due in other namespaces before it has been done. */
let others: TestNamespace;
let leader: RerollProcess;

beforeAll(async () => {
  cluster = await RerollCluster.start([]);
  leader = await cluster.reconciler(0);
  await leader.line(({ message }) => message === 'started leading');
  others = await TestNamespace.create(cluster, 'others');
});

afterAll(async () => await cluster.stop());

async function write({ namespace }: GatedApp, data: Readonly<Record<string, string>>): Promise<void> {
  await namespace.patch('ConfigMap', 'web', { data });
}

/** Expects that by now nothing that counts has changed since the last restart. */
async function stays(app: GatedApp, restarts: number): Promise<void> {
  await others.laterChangeAnswered();
  expect(await app.restarts()).toBe(restarts);
}

/** The API server tells times in whole seconds: within one, nobody can tell which of two writes came first. */
async function inALaterSecond(): Promise<void> {
  const second = (): number => Math.floor(Date.now() / 1_000);
  const now = second();
  await pollUntil('a later second', () => Promise.resolve(second() > now ? true : undefined), { intervalMs: 50 });
}

describe('reroll.dev/keys', () => {
  it.each(['workload', 'source'] as const)('on the %s says which changes count, whoever leads', async (bearer) => {
    const app = await GatedApp.create(cluster, `keys-on-${bearer}`);
    await app.annotate(bearer, { [keys]: '!comment.*' });
    await stays(app, 0);
    await write(app, { 'comment.md': 'one' });
    await stays(app, 0);
    await app.paint('blue');
    await app.restarted(1);

    await leader.end('SIGKILL');
    await write(app, { 'comment.md': 'two' });
    leader = await cluster.reconciler(0);
    await leader.line(({ message }) => message === 'started leading', takeoverMs);
    await stays(app, 1);

    await leader.end('SIGKILL');
    await app.paint('green');
    leader = await cluster.reconciler(0);
    await app.restarted(2);

    await inALaterSecond();
    await app.annotate(bearer, { [keys]: null });
    await stays(app, 2);
    await write(app, { 'comment.md': 'three' });
    await app.restarted(3);
  });
});

describe('reroll.dev/compare', () => {
  it('lets white space and the order of keys restart nothing, whoever leads', async () => {
    const app = await GatedApp.create(cluster, 'parsed');
    await write(app, { 'settings.json': '{"a":1,"b":2}' });
    await app.restarted(1);
    await app.annotate('source', { [compare]: 'parsed' });
    await stays(app, 1);
    await write(app, { 'settings.json': '{ "b": 2, "a": 1 }' });
    await stays(app, 1);

    await leader.end('SIGKILL');
    await write(app, { 'settings.json': '{\n  "a": 1,\n  "b": 2\n}\n' });
    leader = await cluster.reconciler(0);
    await leader.line(({ message }) => message === 'started leading', takeoverMs);
    await stays(app, 1);

    await write(app, { 'settings.json': '{"a":1,"b":3}' });
    await app.restarted(2);
  });
});
