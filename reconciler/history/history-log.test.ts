import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { budgets } from '../../shared/domain/budgets';
import type { HistoryEntry } from '../../shared/domain/protocol/history';
import { checkedSegment } from '../../shared/domain/protocol/history-line';
import { entryAt as entry } from './history.fixture';
import { HistoryLog } from './history-log';

const max = budgets.historySegments * budgets.historySegmentBytes;

function logOf(entries: readonly HistoryEntry[]): HistoryLog {
  const log = new HistoryLog();
  for (const each of entries) log.add(each);
  return log;
}

const many = (from: number, count: number, namespace = 'shop'): readonly HistoryEntry[] =>
  Array.from({ length: count }, (_, index) => entry(from + index, { namespace }));

const segmentsOf = (log: HistoryLog): readonly string[] =>
  Array.from({ length: budgets.historySegments }, (_, index) => log.segment(index));

describe('a log', () => {
  it('gives back its restarts, newest first, with their last outcome', () => {
    const log = logOf([entry(2), entry(1), entry(3)]);
    log.add({ id: entry(1).id, outcome: 'unhealthy', outcomeAt: '2026-01-01T00:10:00.000Z', reason: 'none is ready' });
    log.add({ id: entry(3).id, outcome: 'superseded' });
    expect(log.read()).toEqual({
      keptSince: undefined,
      entries: [
        entry(3, { outcome: 'superseded' }),
        entry(2),
        entry(1, { outcome: 'unhealthy', outcomeAt: '2026-01-01T00:10:00.000Z', reason: 'none is ready' }),
      ],
    });
    expect(log.find(entry(1).id)).toEqual(log.read().entries[2]);
    expect(log.find('ffffffff')).toBeUndefined();
  });

  it('tells of a restart that was refused at first how it fares since it was made', () => {
    const [refused, made] = [entry(1, { outcome: 'failed', reason: 'FORBIDDEN' }), entry(1, { outcome: 'rolling' })];
    const log = logOf([refused, made]);
    expect([log.read().entries, log.find(made.id)]).toEqual([[made], made]);
    log.add({ id: made.id, outcome: 'healthy' });
    const healthy = entry(1, { outcome: 'healthy' });
    expect([log.read().entries, log.find(made.id)]).toEqual([[healthy], healthy]);
    // A crash while room was made leaves lines in two segments.
    const twice = new HistoryLog([log.segment(0), logOf([refused, made]).segment(0)]);
    expect([twice.read().entries, twice.find(made.id)]).toEqual([[healthy], healthy]);
  });

  it('writes to its last segment alone, in ASCII', () => {
    const log = logOf(many(0, 600));
    expect(log.unwritten).toEqual([0, 1]);
    for (const index of log.unwritten) log.written(index, log.segment(index));
    log.add(entry(600, { name: 'żółw' }));
    expect(log.unwritten).toEqual([1]);
    expect(log.segment(1)).toMatch(/^[\x20-\x7e\n]*$/);
    expect(log.read().entries[0]?.name).toBe('żółw');
  });

  it('stays unwritten if something was added while it was written', () => {
    const log = logOf([entry(1)]);
    const text = log.segment(0);
    log.add(entry(2));
    log.written(0, text);
    expect(log.unwritten).toEqual([0]);
  });

  it('never takes more than its bound, whatever is added', () => {
    const log = new HistoryLog();
    fc.assert(
      fc.property(fc.string({ maxLength: 3_000 }), fc.nat(3), fc.nat(400), (name, namespace, repeat) => {
        for (let count = 0; count <= repeat; count++) log.add(entry(count, { name, namespace: `n${namespace}` }));
        const sizes = segmentsOf(log).map((text) => Buffer.byteLength(text));
        expect(Math.max(...sizes)).toBeLessThanOrEqual(budgets.historySegmentBytes);
        expect(log.bytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
        expect(log.bytes).toBeLessThanOrEqual(max);
      }),
      { numRuns: 60 },
    );
  });

  it('adds nothing that is larger than an entry may be', () => {
    const log = logOf([entry(1), entry(2, { name: 'x'.repeat(budgets.historyEntryBytes) })]);
    expect(log.read().entries).toEqual([entry(1)]);
  });
});

describe('a full log', () => {
  it('drops the oldest restarts of the namespace that has most, and says until when', () => {
    const log = logOf([...many(0, 50, 'quiet'), ...many(50, 20_000, 'noisy')]);
    const { entries, keptSince = '' } = log.read();
    const quiet = entries.filter(({ namespace }) => namespace === 'quiet');
    const noisy = entries.filter(({ namespace }) => namespace === 'noisy');
    expect(quiet).toHaveLength(50);
    expect(noisy[0]?.id).toBe(entry(20_049).id);
    expect(noisy.every(({ at }) => at > keptSince)).toBe(true);
    expect(log.bytes).toBeGreaterThan(max / 2);
  });

  it('takes no text of a restart for its namespace or its time', () => {
    const author = '"namespace":"quiet","at":"2000-01-01T00:00:00.000Z","id":"00000000"';
    const causes = [{ kind: 'ConfigMap', name: 'app', why: 'content changed', author }] as const;
    const noisy = many(50, 20_000, 'noisy').map((each) => ({ ...each, causes }));
    const log = logOf([...many(0, 50, 'quiet'), ...noisy]);
    expect(log.read().entries.filter(({ namespace }) => namespace === 'quiet')).toHaveLength(50);
    expect(log.read().keptSince).toMatch(/^2026-/);
  });

  it('keeps outcomes with their restarts', () => {
    const log = logOf(many(0, 3_000));
    log.add({ id: entry(2_999).id, outcome: 'healthy' });
    for (const each of many(3_000, 1_500)) log.add(each);
    expect(log.find(entry(2_999).id)).toMatchObject({ outcome: 'healthy' });
  });

  it('still has to write what it moved before, if room is made again', () => {
    const log = logOf(many(0, 1_200, 'quiet'));
    let index = 1_200;
    for (let rotations = 0, since: string | undefined; rotations < 2; rotations += 1) {
      for (; log.read().keptSince === since; index += 100) for (const each of many(index, 100, 'noisy')) log.add(each);
      since = log.read().keptSince;
    }
    expect(log.unwritten).toEqual(Array.from({ length: budgets.historySegments }, (_, segment) => segment));
  });

  it('loses nothing that is kept if the process ends between two of its writes', () => {
    const log = new HistoryLog();
    let index = 0;
    const stored = new Map<number, string>();
    const write = (count: number): void => {
      for (const segment of log.unwritten.slice(0, count)) {
        stored.set(segment, log.segment(segment));
        log.written(segment, log.segment(segment));
      }
    };
    while (log.read().keptSince === undefined) {
      write(Infinity);
      for (const each of many(index, 50, index % 500 === 0 ? 'quiet' : 'noisy')) log.add(each);
      index += 50;
    }
    const kept = log.read().entries.map(({ id }) => id);
    const rewritten = log.unwritten.length;
    expect(rewritten).toBeGreaterThan(3);
    for (let count = 0; count < rewritten; count++) {
      const after = new HistoryLog(
        Array.from(stored.entries())
          .toSorted(([a], [b]) => a - b)
          .map(([, text]) => text),
      );
      const ids = after.read().entries.map(({ id }) => id);
      // Those of the last batch were never written.
      expect(kept.slice(50).filter((id) => !ids.includes(id))).toEqual([]);
      expect(new Set(ids).size).toBe(ids.length);
      write(1);
    }
  });
});

describe('two logs', () => {
  it('are one after a merge, without doubles', () => {
    const stored = logOf([entry(1), entry(2)]);
    stored.add({ id: entry(1).id, outcome: 'healthy' });
    const own = logOf([entry(2), entry(3)]);
    own.add({ id: entry(2).id, outcome: 'unknown', reason: 'gone' });
    stored.addAllOf(own);
    expect(stored.read().entries).toEqual([
      entry(3),
      entry(2, { outcome: 'unknown', reason: 'gone' }),
      entry(1, { outcome: 'healthy' }),
    ]);
    const before = stored.segment(0);
    stored.addAllOf(own);
    expect(stored.segment(0)).toBe(before);
  });

  it('tell after a merge that a restart was made that was refused at first', () => {
    const [refused, made] = [entry(1, { outcome: 'failed', reason: 'FORBIDDEN' }), entry(1, { outcome: 'rolling' })];
    const stored = logOf([refused]);
    stored.addAllOf(logOf([refused, made]));
    expect(stored.read().entries).toEqual([made]);
    const ended = logOf([refused, made]);
    ended.add({ id: made.id, outcome: 'healthy' });
    ended.addAllOf(logOf([refused, made]));
    ended.addAllOf(logOf([refused]));
    expect(ended.read().entries).toEqual([entry(1, { outcome: 'healthy' })]);
  });

  it('lack after a merge what either of them lacks', () => {
    const [stored, own] = [logOf([entry(1)]), logOf([entry(2)])];
    own.add({ keptSince: entry(0).at });
    stored.addAllOf(own);
    expect(stored.read().keptSince).toBe(entry(0).at);
    const before = stored.segment(0);
    stored.addAllOf(own);
    expect(stored.segment(0)).toBe(before);
  });
});

describe('checkedSegment', () => {
  it('gives back what a log has written', () => {
    const log = logOf(many(0, 100));
    log.add({ id: entry(1).id, outcome: 'healthy', outcomeAt: entry(5).at });
    log.add({ keptSince: entry(0).at });
    expect(checkedSegment(log.segment(0))).toBe(log.segment(0));
    expect(checkedSegment('')).toBe('');
  });

  it('throws nothing but its own error, and quotes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        if (text.trim() === '') return;
        expect(() => checkedSegment(`${text}hunter2`)).toThrow(/^(?!.*hunter2)(line 1|line \d+) is n/);
      }),
    );
  });

  it.each([
    ['a field too many', { ...entry(1), value: 'hunter2' }],
    ['no time', { ...entry(1), at: 'yesterday' }],
    ['another id', { ...entry(1), id: '../../etc' }],
    ['an outcome that there is not', { ...entry(1), outcome: 'fine' }],
    ['a kind of source that there is not', { ...entry(1), causes: [{ kind: 'Pod', name: 'x', why: '' }] }],
  ])('refuses a line with %s', (_what, line) => {
    expect(() => checkedSegment(JSON.stringify(line))).toThrow('line 1 is no line of a history');
  });

  it('looks at the size first', () => {
    expect(() => checkedSegment('{'.repeat(budgets.historySegmentBytes + 1))).toThrow('more than 131072 bytes');
  });
});
