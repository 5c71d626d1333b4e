import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { at, contentOf, sourceRecord } from '../../shared/domain/plan/records.fixture';
import { parseKeyFilter } from '../../shared/domain/text/key-filter';
import { changedAtMs, flagsSince, type WriteTimeEvidence } from './source-write-times';

const small = contentOf({ size: 's' });
const large = contentOf({ size: 'l' });
const colored = contentOf({ size: 's', color: 'red' });
const repainted = contentOf({ color: 'blue' });

const none = { ignoreSinceMs: 0, matchSinceMs: 0, keysSinceMs: 0 };

describe('when a content came into force, with the previous write at 10, seen at 40', () => {
  it.each<
    [
      string,
      WriteTimeEvidence['origin'],
      written: number,
      typeof small | 'metadata-only',
      typeof small | 'metadata-only',
      at: number,
    ]
  >([
    ['a key set', 'watch', 20, small, large, 20],
    ['a key set within the second of the write before', 'watch', 10, small, large, 10],
    ['a key set by a write that took the newest time away', 'watch', 5, small, large, 40],
    ['a key set, as a list shows', 'list', 20, small, large, 20],
    ['a key set, as a read shows', 'read', 20, small, large, 20],
    ['a key removed, which leaves no time', 'watch', 10, colored, small, 40],
    ['a key removed by what was also another write', 'watch', 20, colored, small, 20],
    ['a key removed, as a list shows: maybe after its newest time', 'list', 20, colored, small, 40],
    ['a key removed, as a read shows', 'read', 20, colored, small, 40],
    ['a key set and one removed', 'watch', 10, colored, repainted, 10],
    ['a key set and one removed, as a list shows: maybe by two writes', 'list', 20, colored, repainted, 40],
    ['a key removed, with a newest time ahead of our clock', 'list', 50, colored, small, 50],
    ['nothing but metadata', 'watch', 20, small, small, 20],
    ['nobody knows what, by a write that left its time', 'watch', 20, 'metadata-only', small, 20],
    ['nobody knows what, maybe a key removed', 'watch', 10, 'metadata-only', small, 40],
    ['nobody knows what, as a list shows', 'list', 20, small, 'metadata-only', 40],
  ])('%s, %s, newest time %d', (_what, origin, writtenS, before, after, expected) => {
    const evidence = { origin, formerMs: at(10), writtenAtMs: at(writtenS), seenMs: at(40) };
    expect(changedAtMs(evidence, before, after)).toBe(at(expected));
  });

  it('is never later than it was assumed before the contents were known', () => {
    const second = fc.nat({ max: 3 }).map(at);
    const content = fc.constantFrom(small, large, colored, repainted);
    const origin = fc.constantFrom('list' as const, 'watch' as const, 'read' as const);
    const evidence = fc.record({ origin, formerMs: second, writtenAtMs: second, seenMs: second });
    fc.assert(
      fc.property(evidence, content, content, (seen, before, after) => {
        const known = changedAtMs(seen, before, after);
        expect(known).toBeLessThanOrEqual(changedAtMs(seen, 'metadata-only', after));
        expect(known).toBeLessThanOrEqual(changedAtMs(seen, before, 'metadata-only'));
      }),
    );
  });
});

describe('since when annotations have their values, with the previous write at 10, seen at 40', () => {
  const keys = (text: string) => ({ gates: { keys: parseKeyFilter(text) } });

  it.each<[string, string, before: object, after: object, written: number, at: number]>([
    ['ignore set', 'ignoreSinceMs', {}, { ignore: true }, 10, 10],
    ['ignore removed, which leaves no time', 'ignoreSinceMs', { ignore: true }, {}, 10, 40],
    ['ignore removed by what was also another write', 'ignoreSinceMs', { ignore: true }, {}, 20, 20],
    ['match set', 'matchSinceMs', {}, { match: true }, 10, 10],
    ['match removed', 'matchSinceMs', { match: true }, {}, 10, 40],
    ['a list of keys set', 'keysSinceMs', {}, keys('size'), 10, 10],
    ['another list of keys', 'keysSinceMs', keys('size'), keys('color'), 10, 10],
    ['a list of keys removed', 'keysSinceMs', keys('size'), {}, 10, 40],
    ['a class that is ignored: its times are those of its rotations', 'ignoreSinceMs', {}, { ignore: true, kind: 'SecretProviderClass' }, 10, 40], // prettier-ignore
  ])('%s', (_what, which, before, after, writtenS, expected) => {
    const kind = 'kind' in after ? { kind: 'SecretProviderClass' as const } : {};
    const former = sourceRecord({ ...before, ...kind, writtenAtMs: at(10) });
    const entry = { ...{ record: former, fromMs: 0, former: [], isRead: false, isFirstForgotten: false }, ...none };
    const since = flagsSince(entry, sourceRecord({ ...after, ...kind, writtenAtMs: at(writtenS) }), at(40));
    expect(since).toEqual({ ...none, [which]: at(expected) });
  });

  it('is none of a new object by that name', () => {
    const entry = {
      ...{ record: sourceRecord(), fromMs: 0, former: [], isRead: false, isFirstForgotten: false },
      ...none,
    };
    expect(flagsSince(entry, sourceRecord({ uid: 'second', ignore: true }), at(40))).toEqual(none);
  });
});
