import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { budgets } from '../budgets';
import { KeyFilterError, parseKeyFilter } from './key-filter';

const keys = ['app.yaml', 'app.yml', 'comment.md', 'comment.txt', 'logging.yaml'];

describe('parseKeyFilter', () => {
  it.each([
    ['app.yaml', ['app.yaml']],
    ['app.yaml, logging.yaml', ['app.yaml', 'logging.yaml']],
    ['*.yaml', ['app.yaml', 'logging.yaml']],
    ['app.y?ml', ['app.yaml']],
    ['app.*ml', ['app.yaml', 'app.yml']],
    ['*', keys],
    ['!comment.*', ['app.yaml', 'app.yml', 'logging.yaml']],
    ['!comment.*,!logging.yaml', ['app.yaml', 'app.yml']],
    ['*.yaml,!log*', ['app.yaml']],
    ['!app.yaml,app.yaml', []],
    ['other', []],
    ['app', []],
    ['*a*a*', ['app.yaml']],
    ['??????.yaml', []],
    ['app.yaml,,', ['app.yaml']],
  ])('%s lets count %j', (text, counted) => {
    const filter = parseKeyFilter(text);
    expect(keys.filter((key) => filter.counts(key))).toEqual(counted);
  });

  it.each([
    ['', 'it names no key'],
    [' , ', 'it names no key'],
    ['!', 'an element is neither a name nor a pattern'],
    ['!!app.yaml', 'an element is neither a name nor a pattern'],
    ['app.yaml logging.yaml', 'an element is neither a name nor a pattern'],
    ['(app|logging).yaml', 'an element is neither a name nor a pattern'],
    ['a'.repeat(budgets.keyFilterLength + 1), `it has more than ${budgets.keyFilterLength} characters`],
  ])('refuses %j', (text, why) => {
    expect(() => parseKeyFilter(text)).toThrow(new KeyFilterError(why));
  });

  it('identifies a filter by its elements, in whatever order they are written', () => {
    const { id } = parseKeyFilter('app.yaml, !comment.*');
    expect(id).toMatch(/^[\w-]{8}$/);
    expect(parseKeyFilter('!comment.*,app.yaml,app.yaml').id).toBe(id);
    expect(parseKeyFilter('app.yaml,!comment.?').id).not.toBe(id);
  });

  it('takes no longer for a hostile list than for its length', () => {
    const key = 'a'.repeat(253);
    const list = parseKeyFilter(`${'*a'.repeat(budgets.keyFilterLength / 2 - 1)}b`);
    const before = process.cpuUsage();
    Array.from({ length: budgets.filteredKeys }, () => list.counts(key));
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500);
  });

  it('matches as a regular expression would', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '.'), { maxLength: 8 }).map((each) => each.join(''));
    const regular = new Map([
      ['*', '.*'],
      ['?', '.'],
      ['.', '\\.'],
    ]);
    const pattern = fc.array(fc.constantFrom('a', 'b', '.', '*', '?'), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(pattern, text, (parts, key) => {
        const same = parts.map((part) => regular.get(part) ?? part).join('');
        expect(parseKeyFilter(parts.join('')).counts(key)).toBe(new RegExp(`^${same}$`).test(key));
      }),
    );
  });
});
