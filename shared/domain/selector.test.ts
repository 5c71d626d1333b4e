import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseSelector, SelectorError } from './selector';

describe('matches', () => {
  it.each([
    ['', {}, true],
    ['  ', { a: 'b' }, true],
    ['env=prod', { env: 'prod' }, true],
    ['env=prod', { env: 'dev' }, false],
    ['env=prod', {}, false],
    ['env==prod', { env: 'prod' }, true],
    [' env = prod ', { env: 'prod' }, true],
    ['env=', { env: '' }, true],
    ['env=', {}, false],
    ['env!=prod', { env: 'dev' }, true],
    ['env!=prod', { env: 'prod' }, false],
    ['env!=prod', {}, true],
    ['env', { env: '' }, true],
    ['env', {}, false],
    ['!env', {}, true],
    ['!env', { env: 'x' }, false],
    ['env in (a,b)', { env: 'b' }, true],
    ['env in (a,b)', { env: 'c' }, false],
    ['env in(a,)', { env: '' }, true],
    ['env notin (a,b)', { env: 'a' }, false],
    ['env notin (a,b)', { env: 'c' }, true],
    ['env notin (a,b)', {}, true],
    ['size>5', { size: '6' }, true],
    ['size>5', { size: '5' }, false],
    ['size>5', { size: 'x' }, false],
    ['size>5', {}, false],
    ['size<5', { size: '4' }, true],
    ['size<5', { size: '5' }, false],
    ['a=1,!b,c in (x,y)', { a: '1', c: 'y' }, true],
    ['a=1,!b,c in (x,y)', { a: '1', b: '', c: 'y' }, false],
    ['in=a,notin=b', { in: 'a', notin: 'b' }, true],
    ['a=in', { a: 'in' }, true],
    ['app.kubernetes.io/name=web', { 'app.kubernetes.io/name': 'web' }, true],
    ['constructor', {}, false],
    ['!constructor', {}, true],
  ])('%j on %j: %j', (text, labels, matches) => expect(parseSelector(text).matches(labels)).toBe(matches));
});

describe('parseSelector', () => {
  it.each([
    ['env!', 'is no operator'],
    ['env=*', 'to select any value write the key alone'],
    ['env=a,', 'a label key is missing at the end'],
    [',env', '"," is no label key'],
    ['env=a env=b', '"env" stands where "," is expected'],
    ['env in ()', 'the list of values is empty'],
    ['env in (a', 'the end stands where "," is expected'],
    ['env in a', 'stands where "(" is expected'],
    ['env in (a b)', 'stands where "," is expected'],
    ['env=foo:bar', '"foo:bar" is no label value'],
    ['env===a', 'is no label value'],
    ['size>big', '"big" is no integer'],
    ['size>', '"" is no integer'],
    ['-a=b', '"-a" is no label key'],
    ['/a=b', '"/a" is no label key'],
    ['a/b/c=d', '"a/b/c" is no label key'],
    [`${'a'.repeat(64)}=b`, 'is no label key'],
    [`a=${'b'.repeat(64)}`, 'is no label value'],
    ['!', 'a label key is missing at the end'],
    ['(a)', '"(" is no label key'],
  ])('refuses %j: %s', (text, reason) => {
    expect(() => parseSelector(text)).toThrow(SelectorError);
    expect(() => parseSelector(text)).toThrow(reason);
  });

  it('tells whether it selects everything, and keeps its text for the API', () => {
    expect(parseSelector('').isEverything).toBe(true);
    expect(parseSelector('a').isEverything).toBe(false);
    expect(parseSelector('a in (b)').text).toBe('a in (b)');
  });

  const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9_.]{0,20}[a-z0-9])?$/);

  it('selects the labels it was made from, and not others', () => {
    fc.assert(
      fc.property(fc.dictionary(label, label, { minKeys: 1, noNullPrototype: true }), label, (labels, other) => {
        const selector = parseSelector(
          Object.entries(labels)
            .map(([key, value]) => `${key}=${value}`)
            .join(','),
        );
        expect(selector.matches(labels)).toBe(true);
        const [key = ''] = Object.keys(labels);
        expect(selector.matches({ ...labels, [key]: `${other}x${labels[key]}` })).toBe(false);
      }),
    );
  });

  it('throws nothing but a SelectorError', () => {
    const soup = fc.array(
      fc.constantFrom('a', 'in', 'notin', '(', ')', ',', '=', '==', '!=', '!', '>', '<', ' ', '*', '1'),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          soup.map((parts) => parts.join('')),
        ),
        (text) => {
          try {
            parseSelector(text).matches({ a: '1' });
          } catch (error) {
            expect(error).toBeInstanceOf(SelectorError);
          }
        },
      ),
    );
  });
});
