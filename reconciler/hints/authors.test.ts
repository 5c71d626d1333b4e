import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maxNamedAuthors, mergedAuthors, noAuthors, type Authors } from './authors';

function author(user: string, seenMs: number, reportedMs = seenMs): Authors {
  return { named: [{ user, firstMs: seenMs, lastMs: seenMs, reportedMs }], more: 0 };
}

function all(authors: readonly Authors[]): Authors {
  return authors.reduce(mergedAuthors, noAuthors);
}

function users({ named }: Authors): readonly string[] {
  return named.map(({ user }) => user);
}

const crowd = (from: number, count = 12): readonly Authors[] =>
  Array.from({ length: count }, (_, index) => author(`user-${String(from + index)}`, from + index));

describe('the authors of a state', () => {
  it('are named newest first, in whatever order they arrive', () => {
    expect(users(all([author('bob', 5), author('alice', 1), author('carol', 9)]))).toEqual(['carol', 'bob', 'alice']);
  });

  it('are a few, and the others are counted', () => {
    const authors = all([author('mallory', 0), ...crowd(1)]);
    expect(users(authors)).toEqual(['user-12', 'user-11', 'user-10', 'user-9', 'mallory']);
    expect(authors.more).toBe(8);
  });

  it('include the first one even if that record arrives last', () => {
    const authors = all([...crowd(1), author('mallory', 0, 100)]);
    // The one who was reported first stays, too.
    expect(users(authors)).toEqual(['user-12', 'user-11', 'user-10', 'user-1', 'mallory']);
  });

  it('include the one who was reported first, even if others have earlier dates', () => {
    const backdated = Array.from({ length: 9 }, (_, index) => author(`user-${String(index)}`, index, 101 + index));
    expect(users(all([author('mallory', 50, 100), ...backdated, ...crowd(200)]))).toEqual([
      ...['user-211', 'user-210', 'user-209'],
      ...['mallory', 'user-0'],
    ]);
  });

  it('include the oldest of those who are reported in one batch', () => {
    const batch = [
      author('mallory', 5, 100),
      ...crowd(6).map(({ named: [one] }) => author(one!.user, one!.firstMs, 100)),
    ];
    expect(users(all([...batch, author('late', 0, 200), ...crowd(300)]))).toEqual([
      ...['user-311', 'user-310', 'user-309'],
      ...['mallory', 'late'],
    ]);
  });

  it('include the first reported of those who were seen in one millisecond', () => {
    expect(users(all([author('mallory', 0), author('alice', 0), ...crowd(1)]))).toContain('mallory');
    expect(users(all([author('mallory', 0), author('alice', 0, 1), ...crowd(1)]))).toContain('mallory');
  });

  it('count a user who announces again once, and as the newest', () => {
    const authors = all([author('alice', 1), author('bob', 2), author('alice', 3)]);
    expect([users(authors), authors.more]).toEqual([['alice', 'bob'], 0]);
  });

  it('include the first one even if others use that name', () => {
    expect(users(all([author('mallory', 0), author('mallory', 50), ...crowd(100)]))).toContain('mallory');
  });

  it('are never more than a few, never lose the first, and lose none without counting it', () => {
    const seen = fc.record({ user: fc.integer({ min: 0, max: 30 }), seenMs: fc.nat(1_000), reportedMs: fc.nat(1_000) });
    fc.assert(
      fc.property(fc.array(seen, { minLength: 1, maxLength: 60 }), (records) => {
        const authors = all(records.map(({ user, seenMs, reportedMs }) => author(String(user), seenMs, reportedMs)));
        const firstMs = Math.min(...records.map(({ seenMs }) => seenMs));
        const firsts = records.flatMap(({ user, seenMs }) => (seenMs === firstMs ? [String(user)] : []));
        expect(authors.named.length).toBeLessThanOrEqual(maxNamedAuthors);
        expect(users(authors).some((user) => firsts.includes(user))).toBe(true);
        const different = new Set(records.map(({ user }) => user)).size;
        expect(authors.named.length + authors.more).toBeGreaterThanOrEqual(different);
      }),
    );
  });
});
