import { describe, expect, it } from '@jest/globals';
import { budgets } from '../../shared/domain/budgets';
import { channelPaths } from '../../shared/domain/protocol/channel-names';
import { FakeClock } from '../../shared/runtime/fake-clock';
import type { ChannelAnswer } from './channel-transport';
import { ReconcilerClient } from './reconciler-client';

type Replica = () => Promise<ChannelAnswer>;

const known = (value: unknown): ChannelAnswer => ({ status: 200, body: Buffer.from(JSON.stringify(value)) });
const silent: Replica = async () => await new Promise<never>(() => undefined);
const standby: Replica = async () => ({ status: 503, body: Buffer.from('{}') });
const unreachable: Replica = async () => await Promise.reject(new Error('connect ECONNREFUSED'));

function world(replicas: Readonly<Record<string, Replica>>) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const aborted: string[] = [];
  const reconcilers = new ReconcilerClient({
    clock,
    addresses: () => Object.keys(replicas),
    transport: {
      post: async (address, path, body, signal) => {
        asked.push(`${address} ${path} ${body.toString()}`);
        signal.addEventListener('abort', () => aborted.push(address));
        return await (replicas[address] ?? unreachable)();
      },
    },
  });
  return { clock, asked, aborted, reconcilers };
}

describe('ReconcilerClient', () => {
  it("queries all replicas, and uses the leader's answer", async () => {
    const { asked, aborted, reconcilers } = world({ a: standby, b: async () => known({ yes: 1 }), c: silent });
    expect(await reconcilers.query(channelPaths.preview, { v: 1 }, 250)).toEqual({ yes: 1 });
    expect(asked).toEqual(['a', 'b', 'c'].map((address) => `${address} /v1/preview {"v":1}`));
    // The slow query is cancelled.
    expect(aborted).toContain('c');
  });

  it.each<[string, Readonly<Record<string, Replica>>]>([
    ['there is no replica', {}],
    ['none leads', { a: standby, b: standby }],
    ['none can be reached', { a: unreachable }],
    ['the answer is not JSON', { a: async () => ({ status: 200, body: Buffer.from('<html>') }) }],
    ['the answer is empty', { a: async () => ({ status: 200 }) }],
  ])('knows nothing at once where %s', async (_where, replicas) => {
    const { clock, reconcilers } = world(replicas);
    expect(await reconcilers.query(channelPaths.preview, {}, 250)).toBeUndefined();
    expect(clock.pendingTimers).toBe(0);
  });

  it('limits the queries under way', async () => {
    const { clock, asked, reconcilers } = world({ a: silent });
    const answers = Array.from({ length: 40 }, async () => await reconcilers.query(channelPaths.preview, {}, 250));
    expect(asked).toHaveLength(32);
    expect(reconcilers.canQuery(channelPaths.preview)).toBe(false);
    await clock.advance(250);
    expect(await Promise.all(answers)).toEqual(answers.map(() => undefined));
    await clock.advance(10_000);
    void reconcilers.query(channelPaths.preview, {}, 250);
    expect(asked).toHaveLength(33);
  });

  it('has room for others after questions that are nested too deep to be sent', async () => {
    const { asked, clock, reconcilers } = world({ a: async () => known({ yes: 1 }) });
    const deep: unknown = JSON.parse(`${'['.repeat(9_000)}${']'.repeat(9_000)}`);
    for (let i = 0; i < 33; i++) {
      expect(await reconcilers.query(channelPaths.marks, { deep }, 250)).toBeUndefined();
    }
    expect(asked).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
    expect(await reconcilers.query(channelPaths.marks, {}, 250)).toEqual({ yes: 1 });
  });

  it('sends no question that a reconciler would refuse for its size', async () => {
    const { asked, reconcilers } = world({ a: async () => known({ yes: 1 }) });
    const question = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
    expect(await reconcilers.query(channelPaths.marks, question(budgets.questionBytes + 1), 250)).toBeUndefined();
    expect(asked).toEqual([]);
    expect(await reconcilers.query(channelPaths.marks, question(budgets.questionBytes), 250)).toEqual({ yes: 1 });
  });

  it('waits no longer than the timeout', async () => {
    const { clock, reconcilers } = world({ a: silent });
    let answer: unknown = 'none yet';
    void reconcilers.query(channelPaths.preview, {}, 250).then((value) => (answer = value));
    await clock.advance(249);
    expect(answer).toBe('none yet');
    await clock.advance(1);
    expect(answer).toBeUndefined();
    expect(clock.pendingTimers).toBe(0);
  });

  it('sends no query for a while after a timeout', async () => {
    let replica = silent;
    const { clock, asked, reconcilers } = world({ a: async () => await replica() });
    const first = reconcilers.query(channelPaths.preview, {}, 250);
    await clock.advance(250);
    expect(await first).toBeUndefined();
    replica = async () => known({ yes: 1 });
    expect(await reconcilers.query(channelPaths.preview, {}, 250)).toBeUndefined();
    expect(asked).toHaveLength(1);
    expect(reconcilers.canQuery(channelPaths.preview)).toBe(false);
    await clock.advance(10_000);
    expect(reconcilers.canQuery(channelPaths.preview)).toBe(true);
    expect(await reconcilers.query(channelPaths.preview, {}, 250)).toEqual({ yes: 1 });
  });

  it('still queries mutations after a preview timed out', async () => {
    let replica = silent;
    const { clock, reconcilers } = world({ a: async () => await replica() });
    const preview = reconcilers.query(channelPaths.preview, {}, 250);
    await clock.advance(250);
    expect(await preview).toBeUndefined();
    replica = async () => known({ yes: 1 });
    expect(reconcilers.canQuery(channelPaths.preview)).toBe(false);
    expect(await reconcilers.query(channelPaths.marks, {}, 250)).toEqual({ yes: 1 });
  });
});
