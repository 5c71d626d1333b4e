import { beforeEach, describe, expect, it } from '@jest/globals';
import { maxBatchBytes, parseChangeBatch } from '../../shared/domain/protocol/change-batch';
import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import { changeRecord, channelWorld, replica } from './channel.fixture';
import { metric } from '../admission/review.fixture';

const accepted = { status: 202 };
const never = async (): Promise<never> => await new Promise<never>(() => undefined);

describe('ChangeSender', () => {
  it('sends the records of 20 ms as one batch', async () => {
    const { clock, posts, sender, metrics } = channelWorld(() => accepted);
    sender.send(changeRecord({ id: 'a' }));
    await clock.advance(19);
    sender.send(changeRecord({ id: 'b' }));
    expect(posts).toEqual([]);
    await clock.advance(1);
    expect(posts).toMatchObject([{ address: replica, records: [{ id: 'a' }, { id: 'b' }], atMs: 20 }]);
    expect(await metric(metrics, 'reroll_channel_batches_total{result="sent"}')).toBe(1);
    expect(sender.queued).toBe(0);
  });

  it('sends what the channel accepts', async () => {
    const { clock, posts, sender } = channelWorld(() => accepted);
    sender.send(changeRecord());
    await clock.advance(20);
    expect(parseChangeBatch({ v: 1, ...posts[0] })).toMatchObject({ records: [changeRecord()] });
  });

  it('sends a full batch at once', async () => {
    const { clock, posts, sender } = channelWorld(() => accepted);
    for (let index = 0; index < 250; index++) sender.send(changeRecord({ id: String(index) }));
    await clock.settle();
    expect(posts.map(({ records }) => records.length)).toEqual([100, 100]);
    await clock.advance(20);
    expect(posts.flatMap(({ records }) => records.map(({ id }) => Number(id)))).toEqual([...Array(250).keys()]);
    expect(new Set(posts.map(({ batch }) => batch)).size).toBe(3);
  });

  it('keeps every batch below the size that a reconciler accepts', async () => {
    const { clock, posts, sender } = channelWorld(() => accepted);
    const added = Array.from({ length: 100 }, (_, index) => `${index}`.padStart(250, 'k'));
    for (let index = 0; index < 30; index++) {
      sender.send(changeRecord({ changed: { added, changed: [], removed: [] } }));
    }
    await clock.advance(100);
    expect(posts.length).toBeGreaterThan(2);
    expect(Math.max(...posts.map(({ bytes }) => bytes))).toBeLessThanOrEqual(maxBatchBytes);
    expect(Math.max(...posts.map(({ bytes }) => bytes))).toBeGreaterThan(maxBatchBytes * 0.8);
    expect(posts.flatMap(({ records }) => records)).toHaveLength(30);
  });

  it('drops a record that no batch can hold', async () => {
    const { clock, posts, sender, dropped } = channelWorld(() => accepted);
    const changed = Array.from({ length: 100 }, () => '\u0001'.repeat(253));
    sender.send(changeRecord({ changed: { added: changed, changed, removed: changed } }));
    await clock.advance(20);
    expect(posts).toEqual([]);
    expect(await dropped()).toEqual({ too_large: 1 });
  });

  it('sends every record to every replica, and none waits for another', async () => {
    const { clock, posts, sender } = channelWorld(({ address }) => (address === replica ? never() : accepted));
    sender.setReplicas(new Set([replica, '10.0.0.2:8444']));
    for (const id of ['a', 'b']) {
      sender.send(changeRecord({ id }));
      await clock.advance(20);
    }
    expect(posts.map(({ address }) => address).sort()).toEqual([replica, '10.0.0.2:8444', '10.0.0.2:8444']);
  });

  it('counts records if there is no replica', async () => {
    const { clock, sender, dropped } = channelWorld(() => accepted);
    sender.setReplicas(new Set());
    sender.send(changeRecord());
    await clock.advance(60_000);
    expect(await dropped()).toEqual({ no_replica: 1 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('drops the records for a removed replica, and keeps those for the others', async () => {
    const { clock, posts, sender, dropped } = channelWorld(() => never());
    sender.send(changeRecord());
    await clock.advance(20);
    sender.send(changeRecord());
    sender.setReplicas(new Set(['10.0.0.2:8444']));
    await clock.advance(60_000);
    expect(posts).toHaveLength(1);
    expect(await dropped()).toEqual({ stopped: 2 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('exposes how many records wait and for how many replicas', async () => {
    const { sender, metrics } = channelWorld(() => never());
    sender.setReplicas(new Set([replica, '10.0.0.2:8444']));
    sender.send(changeRecord());
    expect(await metric(metrics, 'reroll_channel_queue_records')).toBe(2);
    expect(await metric(metrics, 'reroll_channel_replicas')).toBe(2);
  });

  describe('if a replica fails', () => {
    it.each([
      ['answers 500', () => ({ status: 500 })],
      ['cannot be reached', () => Promise.reject(new Error('connect ECONNREFUSED'))],
    ])('tries again, with the same batch, when it %s', async (_what, answer) => {
      const { clock, posts, sender, dropped, metrics } = channelWorld(async (_post, index) =>
        index === 0 ? await answer() : accepted,
      );
      sender.send(changeRecord());
      await clock.advance(119);
      expect(posts).toHaveLength(1);
      await clock.advance(1);
      expect(posts).toHaveLength(2);
      expect(posts[1]?.batch).toBe(posts[0]?.batch);
      expect(await dropped()).toEqual({});
      expect(await metric(metrics, 'reroll_channel_batches_total{result="retried"}')).toBe(1);
    });

    it('gives up after five tries, logs an outage once, and logs the recovery', async () => {
      let up = false;
      const { clock, posts, sender, dropped, logger, metrics } = channelWorld(() => (up ? accepted : { status: 503 }));
      for (let index = 0; index < 3; index++) {
        sender.send(changeRecord());
        await clock.advance(30_000);
      }
      expect(posts).toHaveLength(15);
      expect(await dropped()).toEqual({ unreachable: 3 });
      expect(await metric(metrics, 'reroll_channel_batches_total{result="given_up"}')).toBe(3);
      up = true;
      sender.send(changeRecord());
      await clock.advance(30_000);
      expect(logger.lines.map(({ level, fields }) => [level, fields['address']])).toEqual([
        ['warn', replica],
        ['info', replica],
      ]);
    });

    it('waits no longer than 5 s for an answer', async () => {
      const { clock, posts, sender } = channelWorld(() => never());
      sender.send(changeRecord());
      await clock.advance(20 + 5_000 + 100);
      expect(posts).toHaveLength(2);
      await clock.advance(30_000);
      expect(posts).toHaveLength(5);
      expect(sender.queued).toBe(0);
    });

    it.each([400, 403, 404, 413, 301])('does not retry after a %i', async (status) => {
      const { clock, posts, sender, dropped } = channelWorld(() => ({ status }));
      sender.send(changeRecord());
      await clock.advance(30_000);
      expect(posts).toHaveLength(1);
      expect(await dropped()).toEqual({ refused: 1 });
    });

    it('honours Retry-After', async () => {
      const { clock, posts, sender } = channelWorld((_post, index) =>
        index === 0 ? { status: 429, retryAfterMs: 7_000 } : accepted,
      );
      sender.send(changeRecord());
      await clock.advance(20 + 6_999);
      expect(posts).toHaveLength(1);
      await clock.advance(1);
      expect(posts).toHaveLength(2);
    });

    it('gives up at once if Retry-After is longer than a record is of use', async () => {
      const { clock, posts, sender, dropped } = channelWorld(() => ({ status: 429, retryAfterMs: 60_000 }));
      sender.send(changeRecord());
      await clock.advance(120_000);
      expect(posts).toHaveLength(1);
      expect(await dropped()).toEqual({ unreachable: 1 });
    });

    it('keeps the newest thousand records and no more', async () => {
      const { clock, posts, sender, dropped } = channelWorld((_post, index) => (index === 0 ? never() : accepted));
      sender.send(changeRecord({ id: 'first' }));
      await clock.advance(20);
      for (let index = 0; index < 1_500; index++) sender.send(changeRecord({ id: String(index) }));
      expect(sender.queued).toBe(1_001);
      expect(await dropped()).toEqual({ queue_full: 500 });
      await clock.advance(30_000);
      const ids = posts.slice(2).flatMap(({ records }) => records.map(({ id }) => id));
      expect([ids[0], ids.at(-1)]).toEqual(['500', '1499']);
    });

    it('keeps the records of others if one namespace has more than there is room for', async () => {
      const { clock, posts, sender } = channelWorld((_post, index) => (index === 0 ? never() : accepted));
      sender.send(changeRecord({ id: 'first' }));
      await clock.advance(20);
      sender.send(changeRecord({ id: 'quiet', namespace: 'shop' }));
      const added = Array.from({ length: 100 }, (_, index) => `${index}`.padStart(250, 'k'));
      for (let index = 0; index < 100; index++) {
        sender.send(changeRecord({ namespace: 'crowd', changed: { added, changed: [], removed: [] } }));
      }
      await clock.advance(30_000);
      expect(posts.flatMap(({ records }) => records.map(({ id }) => id))).toContain('quiet');
    });

    it('keeps a mebibyte and no more', () => {
      const { sender } = channelWorld(() => never());
      const added = Array.from({ length: 100 }, (_, index) => `${index}`.padStart(250, 'k'));
      for (let index = 0; index < 100; index++) {
        sender.send(changeRecord({ changed: { added, changed: [], removed: [] } }));
      }
      expect(sender.queued).toBeLessThan((1024 * 1024) / 25_000);
    });
  });

  describe('at the end', () => {
    it('waits for records under way', async () => {
      const { clock, posts, sender, dropped } = channelWorld(() => accepted);
      sender.send(changeRecord());
      const stopped = sender.stop();
      await clock.advance(20);
      await stopped;
      expect(posts).toHaveLength(1);
      expect(await dropped()).toEqual({});
    });

    it('waits no longer than 2 s, and accepts no more records', async () => {
      const { clock, sender, dropped } = channelWorld(() => never());
      sender.send(changeRecord());
      const stopped = sender.stop();
      await clock.advance(2_000);
      await stopped;
      sender.send(changeRecord());
      await clock.settle();
      expect(await dropped()).toEqual({ stopped: 1, no_replica: 1 });
      expect(clock.pendingTimers).toBe(0);
    });
  });
});

describe('the trace of a record', () => {
  const ends: string[] = [];
  const traces = {
    delivery:
      ({ id }: ChangeRecord) =>
      (result: string, address?: string) =>
        void ends.push(`${id} ${result} ${address ?? 'to none'}`),
  };

  beforeEach(() => {
    ends.length = 0;
  });

  it.each([
    ['is delivered', accepted, 'a sent 10.0.0.1:8444'],
    ['is refused', { status: 400 }, 'a refused 10.0.0.1:8444'],
    ['cannot be delivered', { status: 500 }, 'a unreachable 10.0.0.1:8444'],
  ])('learns that it %s, once', async (_what, answer, end) => {
    const { clock, sender } = channelWorld(() => answer, traces);
    sender.send(changeRecord({ id: 'a' }));
    expect(ends).toEqual([]);
    await clock.advance(60_000);
    expect(ends).toEqual([end]);
  });

  it('learns of each replica', async () => {
    const { clock, sender } = channelWorld(() => accepted, traces);
    sender.setReplicas(new Set([replica, '10.0.0.2:8444']));
    sender.send(changeRecord({ id: 'a' }));
    await clock.advance(20);
    expect(ends).toEqual(['a sent 10.0.0.1:8444', 'a sent 10.0.0.2:8444']);
  });

  it('learns that it is dropped: without a replica, too large, too many, or at the end', async () => {
    const { clock, sender } = channelWorld(never, traces);
    sender.setReplicas(new Set());
    sender.send(changeRecord({ id: 'none' }));
    sender.setReplicas(new Set([replica]));
    const long = Array.from({ length: 100 }, () => '\u0001'.repeat(253));
    sender.send(changeRecord({ id: 'large', changed: { added: long, changed: long, removed: long } }));
    for (let n = 0; n <= 1_000; n++) sender.send(changeRecord({ id: String(n) }));
    expect(ends).toEqual(['none no_replica to none', 'large too_large to none', '0 queue_full 10.0.0.1:8444']);
    const stopped = sender.stop();
    await clock.advance(2_000);
    await stopped;
    expect(ends.slice(3)).toHaveLength(1_000);
    expect(ends.slice(3).every((end) => end.endsWith(' stopped 10.0.0.1:8444'))).toBe(true);
  });
});
