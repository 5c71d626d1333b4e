import { describe, expect, it } from '@jest/globals';
import { checkCommandIn } from '../../cli/check/check-command';
import type { Cluster } from '../../cli/cluster/cluster';
import type { ClusterWorld } from '../../cli/cluster/cluster-command';
import { historyCommandIn } from '../../cli/history/history-command';
import { memoryFiles } from '../../cli/manifests/manifests.fixture';
import { runMigrate } from '../../cli/migrate/migrate.fixture';
import { pauseCommandIn } from '../../cli/pause/pause-command';
import { resumeCommandIn } from '../../cli/pause/resume-command';
import { previewCommandIn } from '../../cli/preview/preview-command';
import { rollbackCommandIn } from '../../cli/rollback/rollback-command';
import { statusCommandIn } from '../../cli/status/status-command';
import { usersCommandIn } from '../../cli/users/users-command';
import { whyCommandIn } from '../../cli/why/why-command';
import { zeroRandom } from '../../shared/kube/client/client.fixture';
import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { sleep, type Clock } from '../../shared/runtime/clock';
import { clusterOf, runAgainst } from './asking.fixture';
import type { Harness } from './harness';
import { bad, onFailure, Shop } from './rollback.fixture';
import { app, running, web } from './situations.fixture';

/** What a terminal is told of work that takes longer than a second. */
const shown = (what: string): string => `${what}…\r\u001b[K`;

/** The client of a person, whose first calls take two seconds each. */
function slowed<Client extends object>(client: Client, clock: Clock, slowCalls = Infinity): Client {
  let calls = 0;
  return new Proxy(client, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        if (calls++ < slowCalls) await sleep(clock, 2_000);
        return await (Reflect.apply(member, target, args) as Promise<unknown>);
      };
    },
  });
}

async function finished<Result>({ clock }: Harness, running: Promise<Result>): Promise<Result> {
  let result: { readonly value: Result } | undefined;
  const ended = running.then((value) => (result = { value }));
  for (let second = 0; second < 300 && !result; second++) await clock.advance(1_000);
  return (await ended).value;
}

const files = { files: memoryFiles({}), random: zeroRandom };
const nobody = async (): Promise<undefined> => await Promise.resolve(undefined);
const rollbackAsking = (ask: () => Promise<string | undefined>) => (world: ClusterWorld) =>
  rollbackCommandIn({ ...world, ask });

type Row = readonly [
  name: string,
  loadIn: (world: ClusterWorld) => LoadedCommand,
  args: readonly string[],
  what: string,
];

const rows: readonly Row[] = [
  ['why', whyCommandIn, ['deployment/web'], 'asking the leader'],
  ['status', statusCommandIn, [], 'asking the leader'],
  ['users', usersCommandIn, ['configmap/app'], 'asking the leader'],
  ['history', historyCommandIn, [], 'asking the leader'],
  ['preview', (world) => previewCommandIn({ ...world, ...files }), ['cm/app', '--unset=color'], 'asking the leader'],
  ['check', checkCommandIn, [], 'checking'],
  ['pause', pauseCommandIn, ['deployment/web'], 'holding restarts'],
  ['resume', resumeCommandIn, ['deployment/web'], 'ending the hold'],
  ['rollback', rollbackAsking(nobody), ['configmap/app'], 'reading what is kept'],
];

describe('on a terminal', () => {
  it.each(rows)('reroll %s says what takes longer than a second', async (name, loadIn, args, what) => {
    const [harness, engine] = await running({ objects: [app, web], answer: {} });
    const { clock } = harness;
    const cluster = clusterOf(harness, engine, 'objects');
    const slow: Cluster = { ...cluster, client: slowed(cluster.client, clock, 1) };
    const { err } = await finished(
      harness,
      runAgainst(slow, harness, { name, loadIn }, args, { isErrorTerminal: true }),
    );
    expect(err).toMatch(new RegExp(`^${shown(what).replace('[', '\\[')}`));
    expect(err.match(/…/g)).toHaveLength(err.split('\u001b[K').length - 1);
  });

  it('reroll migrate says so for each part of its work', async () => {
    const [harness] = await running({ objects: [app, web], answer: {} });
    const { clock, admin } = harness;
    const connect = async () => {
      await sleep(clock, 2_000);
      return { client: slowed(admin, clock), close: async () => await Promise.resolve() };
    };
    const { err } = await finished(harness, runMigrate(['-A'], memoryFiles({}), undefined, connect, clock));
    const parts = ['logging in', 'reading the flags of Reloader', 'reading the cluster'];
    expect(err).toBe(parts.map(shown).join(''));
  });

  it('reroll rollback says nothing while it asks a person, and goes on when it writes', async () => {
    const shop = new Shop({ [onFailure]: 'keep' });
    await shop.start();
    try {
      await shop.write(bad);
      await shop.pass(10);
      const { harness, engine } = shop;
      if (!engine) throw new Error('no engine was started');
      const told: string[] = [];
      const io = { columns: 100, out: () => undefined, err: (text: string) => void told.push(text) };
      const ask = async (): Promise<string> => {
        told.push('<asked>');
        await sleep(harness.clock, 5_000);
        return 'y';
      };
      const cluster = clusterOf(harness, engine, 'objects', 'shop');
      const slow = { ...cluster, client: slowed(cluster.client, harness.clock) };
      const command = { name: 'rollback', loadIn: rollbackAsking(ask) };
      await finished(harness, runAgainst(slow, harness, command, ['cm/app'], { io, isErrorTerminal: true }));
      expect(told.join('')).toBe(`${shown('reading what is kept')}<asked>${shown('putting it back')}`);
    } finally {
      await shop.stop();
    }
  });
});
