import { beforeEach, describe, expect, it } from '@jest/globals';
import { ChannelHarness, changeRecord, ofCrowd, stored } from '../channel/channel.fixture';
import { maxPendingHints } from './pending-sources';
import { maxRecordsBurst, maxRecordsPerSecond } from './change-record-intake';
import { appConfig, at } from '../../shared/domain/plan/records.fixture';

let channel: ChannelHarness;

beforeEach(() => {
  channel = new ChannelHarness();
});

function named(from: number, count: number): readonly unknown[] {
  return Array.from({ length: count }, (_, i) => changeRecord({ name: `app-${String(from + i)}` }));
}

describe('ChangeRecordIntake', () => {
  it('refuses a malformed record, not its batch', async () => {
    const records = [changeRecord(), { v: 1 }, changeRecord({ name: 'other' }), null];
    expect(channel.inbox.accept(records)).toEqual({ accepted: 2, refused: 2, full: false });
    expect(channel.hints.pending).toBe(2);
    expect(await channel.results()).toEqual({ malformed: 2 });
    expect(channel.logger.lines.map(({ message }) => message)).toEqual([
      expect.stringContaining('webhook and reconciler must be of the same version'),
    ]);
  });

  it('drops what is not watched or not used before it looks at anything else', async () => {
    channel.unwanted.add('shop/app');
    const stale = changeRecord({ observedAtMs: 0, keyId: 'anotherX' });
    expect(channel.inbox.accept([stale])).toEqual({ accepted: 1, refused: 0, full: false });
    expect(await channel.results()).toEqual({ filtered: 1 });
    expect(channel.hints.pending).toBe(0);
    // Such records do not count towards the rate either.
    channel.inbox.accept(Array.from({ length: maxRecordsBurst * 2 }, () => changeRecord()));
    expect(channel.inbox.accept([changeRecord({ name: 'other' })]).full).toBe(false);
    await channel.clock.advance(60_000);
    expect(channel.reads.map(({ name }) => name)).not.toContain('app');
  });

  it('drops records under the key of another install', async () => {
    expect(channel.inbox.accept([changeRecord({ keyId: 'anotherX' })])).toMatchObject({ accepted: 1 });
    expect(await channel.results()).toEqual({ foreign_key: 1 });
    expect(channel.hints.pending).toBe(0);
  });

  it.each<[number, object]>([
    [-60.001, { stale: 1 }],
    [-60, {}],
    [60, {}],
    [60.001, { stale: 1 }],
  ])('judges a record of %d s from now', async (seconds, results) => {
    expect(channel.inbox.accept([changeRecord({ observedAtMs: Math.round(at(seconds)) })]).accepted).toBe(1);
    expect(await channel.results()).toEqual(results);
    expect(channel.hints.pending).toBe('stale' in results ? 0 : 1);
  });

  it('counts what it takes and refuses, for people who ask', async () => {
    channel.unwanted.add('shop/unused');
    const of = (records: readonly unknown[]) => {
      channel.inbox.accept(records);
      return channel.inbox.received.counts;
    };
    expect(of([])).toEqual({ taken: 0, refused: 0, lastTakenMs: undefined, lastRefused: undefined });
    expect(of([changeRecord({ name: 'unused' }), changeRecord(), changeRecord()])).toMatchObject({
      taken: 3,
      lastTakenMs: 0,
    });
    expect(of([changeRecord({ name: 'unused', keyId: 'anotherX' })]).taken).toBe(3);
    await channel.clock.advance(2_000);
    expect(of([{}, changeRecord({ keyId: 'anotherX' })])).toEqual({
      ...{ taken: 3, refused: 2, lastTakenMs: 0 },
      lastRefused: { atMs: 2_000, because: 'foreign_key' },
    });
    expect(of([changeRecord({ observedAtMs: 0 })]).lastRefused).toEqual({ atMs: 2_000, because: 'stale' });
    // Sent again later: it is not lost.
    expect(of(named(0, maxRecordsBurst + 1)).lastRefused).toEqual({ atMs: 2_000, because: 'refused' });
  });

  it('takes a burst and then a fixed rate; the rest of a batch is refused', async () => {
    channel.inbox.accept(named(0, maxRecordsBurst - 1));
    expect(channel.inbox.accept([{}, ...named(maxRecordsBurst, 3)])).toEqual({ accepted: 1, refused: 3, full: true });
    expect(await channel.results()).toEqual({ malformed: 1, refused: 2 });
    await channel.clock.advance(200);
    const again = channel.inbox.accept(named(maxRecordsBurst + 10, maxRecordsPerSecond));
    expect(again).toEqual({ accepted: maxRecordsPerSecond / 5, refused: (maxRecordsPerSecond * 4) / 5, full: true });
  });

  it('refuses the newest when too many are pending, and takes the batch when it is sent again', async () => {
    for (let i = 0; i < maxPendingHints; i++) channel.hints.offer(changeRecord(ofCrowd(i)));
    const batch = [changeRecord(ofCrowd(1)), changeRecord({ name: 'new' }), changeRecord({ name: 'newer' })];
    expect(channel.inbox.accept(batch)).toEqual({ accepted: 1, refused: 2, full: true });
    channel.watch(stored('blue', ofCrowd(5)));
    channel.watch(stored('blue', ofCrowd(6)));
    expect(channel.inbox.accept(batch)).toEqual({ accepted: 3, refused: 0, full: false });
    expect(await channel.results()).toEqual({ confirmed: 2, duplicate: 2, refused: 2 });
  });

  it('takes a record once: sent again, it does not make its user the author of another’s return to that state', async () => {
    const record = changeRecord();
    channel.inbox.accept([record]);
    channel.watch(stored('blue', { resourceVersion: '2' }));
    channel.watch(stored('green', { resourceVersion: '3' }));
    channel.inbox.accept([record]);
    expect(channel.hints.pending).toBe(0);
    channel.watch(stored('blue', { resourceVersion: '4' }));
    expect(channel.hints.attribution(appConfig, record.digest)).toBeUndefined();
    expect(await channel.results()).toEqual({ confirmed: 1, duplicate: 1 });
  });

  it('takes a record again that was refused because there was no room', async () => {
    channel.inbox.accept(named(0, maxRecordsBurst));
    expect(channel.inbox.accept([changeRecord()]).full).toBe(true);
    await channel.clock.advance(100);
    expect(channel.inbox.accept([changeRecord()])).toMatchObject({ accepted: 1, full: false });
    expect(await channel.results()).toEqual({ refused: 1 });
  });

  it('reports each kind of problem once a minute', async () => {
    const bad = [changeRecord({ keyId: 'anotherX' }), changeRecord({ observedAtMs: at(-90) })];
    for (let i = 0; i < 5; i++) channel.inbox.accept(bad);
    expect(channel.logger.lines).toEqual([
      {
        level: 'warn',
        message:
          'change record under another digest key: restart webhook and reconciler, which read the Secret reroll-digest-key when they start',
        fields: { result: 'foreign_key' },
      },
      {
        level: 'warn',
        message: 'change record 90 s old: compare the clocks of the nodes',
        fields: { result: 'stale' },
      },
    ]);
    await channel.clock.advance(60_000);
    channel.inbox.accept(bad);
    expect(channel.logger.lines).toHaveLength(4);
  });
});
