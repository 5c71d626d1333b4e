import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { at, contentOf } from '../../shared/domain/plan/records.fixture';
import { changedAtMs, type WriteTimeEvidence } from './source-write-times';

const small = contentOf({ size: 's' });
const large = contentOf({ size: 'l' });
const colored = contentOf({ size: 's', color: 'red' });
const repainted = contentOf({ color: 'blue' });

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
