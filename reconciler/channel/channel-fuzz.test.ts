import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ChangeRecord } from '../../shared/domain/change-record';
import { at } from '../records.fixture';
import { answerBatch } from './batch-answer';
import { ChannelHarness, changeRecord, stored } from './channel.fixture';
import { maxHintsPerSource } from './hints';

const runs = 20_000;
const storyRuns = 1_000;
/** None of it waits: it is the bound of a slow machine. */
const timeoutMs = 120_000;

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

/** Records with one field replaced by whatever there is, and things that are no record at all. */
const garbage = fc.oneof(
  fc.anything(),
  fc
    .tuple(genuine, fc.constantFrom(...Object.keys(changeRecord())), fc.jsonValue())
    .map(([record, field, value]) => ({ ...record, [field]: value })),
);
const records = fc.array(fc.oneof(genuine, garbage), { maxLength: 12 });

const body = fc.oneof(
  fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
  fc.json().map((json) => Buffer.from(json)),
  records.map((list) => Buffer.from(JSON.stringify({ v: 1, batch: 'b', records: list }, plain))),
  fc
    .tuple(records, fc.nat())
    .map(([list, cut]) => Buffer.from(JSON.stringify({ v: 1, batch: 'b', records: list }, plain)).subarray(0, cut)),
);

function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

describe('any body', () => {
  it(
    'is answered, and leaves nothing but hints of sources that are wanted',
    async () => {
      let channel = new ChannelHarness();
      let since = 0;
      fc.assert(
        fc.property(body, (bytes) => {
          // A new inbox now and then, so that the rate does not refuse all that follows.
          if (++since % 100 === 0) channel = new ChannelHarness();
          channel.unwanted.add('shop/web');
          const { status, body: answer } = answerBatch(bytes, channel.inbox);
          // One assertion for all: it is what takes the time.
          const isSound =
            (status === 400 ? typeof answer['error'] === 'string' : answer['accepted'] !== undefined) &&
            [202, 400, 429].includes(status) &&
            channel.hints.pending <= 2 * maxHintsPerSource;
          if (!isSound) throw new Error(`answered ${String(status)}, ${String(channel.hints.pending)} hints pending`);
        }),
        { numRuns: runs },
      );
      await channel.clock.advance(60_000);
      expect(channel.reads.map(({ source }) => source)).not.toContain('ConfigMap/shop/web');
      expect(channel.given).toEqual([]);
      expect(channel.hints.pending).toBe(0);
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
            isStored.push(channel.apiServer.get(`ConfigMap/shop/${record.name}`) === record);
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
