import { describe, expect, it } from '@jest/globals';
import { formatRolledBack, parseRolledBack, withRolledBack } from './rolled-back';

const ids = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => n.toString(16).padStart(8, '0'));

describe('parseRolledBack', () => {
  it.each<[string, readonly string[] | undefined]>([
    ['0123abcd', ['0123abcd']],
    ['0123abcd, 89abcdef', ['0123abcd', '89abcdef']],
    ['', undefined],
    ['0123abcd,', undefined],
    ['0123ABCD', undefined],
    ['true', undefined],
  ])('reads %j', (text, expected) => expect(parseRolledBack(text)).toEqual(expected));

  it('reads no more than Reroll writes', () => {
    expect(parseRolledBack(formatRolledBack(ids(1_000), 'ffffffff'))).toHaveLength(20);
  });
});

describe('withRolledBack', () => {
  it('has the newest first, and each once', () => {
    expect(withRolledBack(['aaaaaaaa', 'bbbbbbbb'], 'bbbbbbbb')).toEqual(['bbbbbbbb', 'aaaaaaaa']);
  });

  it('forgets the oldest', () => {
    const before = ids(20);
    expect(withRolledBack(before, 'ffffffff')).toEqual(['ffffffff', ...before.slice(0, 19)]);
  });
});

describe('formatRolledBack', () => {
  it('leaves out what is put back, because it would stay stopped', () => {
    expect(formatRolledBack(['bbbbbbbb', 'aaaaaaaa', 'cccccccc'], 'aaaaaaaa')).toBe('bbbbbbbb,cccccccc');
  });
});
