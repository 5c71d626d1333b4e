import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import { at } from '../../shared/domain/plan/records.fixture';
import { maxBatchRecords } from '../../shared/domain/protocol/change-batch';
import { sourceKey } from '../../shared/domain/sources/source';
import { longForm } from '../../shared/runtime/long-form.fixture';
import { answerBatch } from './answers';
import { maxAttributedSources } from '../hints/attributions';
import { ChannelHarness, changeRecord, ofCrowd, stored } from './channel.fixture';
import { maxPendingHints } from '../hints/pending-sources';

const runs = longForm(100_000, 1_000);
const storyRuns = longForm(1_000, 30);
/** Nothing here waits; the limit is for a slow machine. */
const timeoutMs = 240_000;

const name = fc.constantFrom('app', 'db', 'web');
const color = fc.constantFrom('red', 'blue', 'green');

const genuine: fc.Arbitrary<ChangeRecord> = fc
  .record({
    name,
    color,
    user: fc.constantFrom('alice', 'bob', 'mallory'),
    seconds: fc.integer({ min: -90, max: 90 }),
    uid: fc.constantFrom(undefined, undefined, undefined, 'forged'),
    keyId: fc.constantFrom(undefined, undefined, undefined, 'anotherX'),
  })
  .map(({ seconds, uid, keyId, ...rest }) =>
    changeRecord({ ...rest, observedAtMs: at(seconds), ...(uid && { uid }), ...(keyId && { keyId }) }),
  );

const template = changeRecord();

/** Records with one field replaced by an arbitrary value, and values that are no record at all. */
const garbage = fc.oneof(
  { arbitrary: fc.anything({ maxDepth: 1 }), weight: 1 },
  {
    arbitrary: fc
      .tuple(genuine, fc.constantFrom(...Object.keys(template)), fc.jsonValue({ maxDepth: 1 }))
      .map(([record, field, value]) => ({ ...record, [field]: value })),
    weight: 4,
  },
);
const records = fc.array(fc.oneof(genuine, garbage), { maxLength: 12 });

/**
 * More sources than pending hints. The index holds the announced content of the first ones, and nothing of the rest.
 */
const crowd = { shown: 2 * maxAttributedSources, all: 3 * maxPendingHints };
const shownSources = Array.from({ length: crowd.shown }, (_, n) => stored('blue', ofCrowd(n)));
const batch = fc.array(
  fc.oneof(
    { arbitrary: fc.nat({ max: crowd.all - 1 }).map(crowdRecord), weight: 5 },
    { arbitrary: genuine, weight: 2 },
    { arbitrary: garbage, weight: 1 },
  ),
  { maxLength: 4 },
);
/**
 * The bytes of a body at a time since the start. Its records have that time, because old ones are not even looked at.
 */
type Body = (elapsedMs: number) => Buffer;
const body: fc.Arbitrary<Body> = fc.oneof(
  { arbitrary: batch.map((list): Body => batchBody(list)), weight: 8 },
  { arbitrary: fc.tuple(batch, fc.nat()).map(([list, n]): Body => truncated(batchBody(list), n)), weight: 1 },
  {
    arbitrary: fc.jsonValue({ maxDepth: 1 }).map(
      (json): Body =>
        () =>
          Buffer.from(JSON.stringify(json)),
    ),
    weight: 1,
  },
  {
    arbitrary: fc.uint8Array({ maxLength: 40 }).map(
      (bytes): Body =>
        () =>
          Buffer.from(bytes),
    ),
    weight: 1,
  },
);

function crowdRecord(n: number): ChangeRecord {
  const digest = shownSources[n]?.content.whole() ?? template.digest;
  return { ...template, ...ofCrowd(n), uid: `uid-app-${n}`, digest };
}

function batchBody(list: readonly unknown[]): Body {
  return (elapsedMs) =>
    Buffer.from(
      JSON.stringify({ v: 1, batch: 'b', records: list }, (key, value: unknown) => {
        if (key === 'observedAtMs' && typeof value === 'number') return value + elapsedMs;
        return typeof value === 'bigint' ? String(value) : value;
      }),
    );
}

function truncated(whole: Body, at: number): Body {
  return (elapsedMs) => {
    const bytes = whole(elapsedMs);
    return bytes.subarray(0, at % (bytes.length + 1));
  };
}

describe('any body', () => {
  it(
    `is answered, ${runs} of them, and leaves no more than may be kept, of sources that are wanted`,
    async () => {
      const channel = new ChannelHarness();
      channel.unwanted.add('shop/web');
      for (const source of shownSources) channel.index.set(sourceKey(source), source);
      const most = { pending: 0, attributed: 0, reads: 0 };
      const statuses = new Set<number>();
      let bodies = 0;
      /** A record for each source: the second half of the bodies finds the limits reached. */
      const fill = async (): Promise<void> => {
        for (let n = 0; n < crowd.all; n += maxBatchRecords) {
          const list = Array.from({ length: maxBatchRecords }, (_, more) => crowdRecord(n + more));
          answerBatch(batchBody(list)(channel.clock.monotonicMs()), channel.inbox);
          await channel.clock.advance(100);
        }
      };
      await fc.assert(
        fc.asyncProperty(body, async (bytesAt) => {
          const { status, body: answer } = answerBatch(bytesAt(channel.clock.monotonicMs()), channel.inbox);
          statuses.add(status);
          const isSound = 'error' in answer ? status === 400 : 'accepted' in answer;
          if (!isSound || ![202, 400, 429].includes(status)) throw new Error(`answered ${status}`);
          const { pending, kept } = channel.hints;
          most.pending = Math.max(most.pending, pending);
          most.attributed = Math.max(most.attributed, kept.attributed);
          most.reads = Math.max(most.reads, kept.reads);
          // A little faster than the rate allows.
          if (++bodies % 10 === 0) await channel.clock.advance(20);
          if (bodies === runs / 2) await fill();
        }),
        { numRuns: runs, endOnFailure: true },
      );
      expect([...statuses].sort()).toEqual([202, 400, 429]);
      // Hints and attributions have reached their limits.
      expect(most).toEqual({ pending: maxPendingHints, attributed: maxAttributedSources, reads: expect.any(Number) });
      expect(most.reads).toBeLessThanOrEqual(maxPendingHints);
      expect(channel.reads.filter(({ source }) => source === 'ConfigMap shop/web')).toEqual([]);
      expect(channel.given).toEqual([]);
      await channel.clock.advance(20 * 60_000);
      expect({ pending: channel.hints.pending, reads: channel.hints.kept.reads }).toEqual({ pending: 0, reads: 0 });
      expect(channel.clock.pendingTimers).toBe(0);
    },
    timeoutMs,
  );

  it('is taken in any number of records', () => {
    fc.assert(
      fc.property(fc.array(garbage, { maxLength: 8 }), (list) => {
        const { accepted, refused } = new ChannelHarness().inbox.accept(list);
        expect(accepted + refused).toBe(list.length);
      }),
      { numRuns: storyRuns },
    );
  });
});

type Step =
  | { readonly do: 'send'; readonly records: readonly unknown[]; readonly times: number }
  | { readonly do: 'write' | 'watch'; readonly name: string; readonly color: string }
  | { readonly do: 'wait'; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('send' as const), records, times: fc.constantFrom(1, 1, 3) }),
  fc.record({ do: fc.constantFrom('write' as const, 'watch' as const), name, color }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(10, 300, 1_000, 40_000) }),
);

describe('any story of writes, watch events, records, replays and forgeries', () => {
  it(
    'gives the index only what is stored, reads within bounds, and ends with nothing pending',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const channel = new ChannelHarness();
          const isStored: boolean[] = [];
          channel.onStored = (record) => {
            isStored.push(channel.apiServer.get(`ConfigMap shop/${record.name}`) === record);
          };
          let version = 1;
          for (const next of steps) {
            if (next.do === 'wait') await channel.clock.advance(next.ms);
            else if (next.do === 'send') for (let i = 0; i < next.times; i++) channel.inbox.accept(next.records);
            else {
              const record = stored(next.color, { name: next.name, resourceVersion: String(++version) });
              if (next.do === 'write') channel.write(record);
              else channel.watch(record);
            }
          }
          await channel.clock.advance(60_000);
          expect(channel.hints.pending).toBe(0);
          expect(channel.clock.pendingTimers).toBe(0);
          expect(isStored).not.toContain(false);
          expect(channel.given.length).toBeLessThanOrEqual(channel.reads.length);
          for (const source of new Set(channel.reads.map((read) => read.source))) {
            const times = channel.reads.filter((read) => read.source === source).map(({ atMs }) => atMs);
            for (const [i, atMs] of times.entries()) expect(atMs - (times[i - 1] ?? -300)).toBeGreaterThanOrEqual(300);
          }
        }),
        { numRuns: storyRuns },
      );
    },
    timeoutMs,
  );
});
