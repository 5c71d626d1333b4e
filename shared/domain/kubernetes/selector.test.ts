import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseSelector, SelectorError, type Requirement } from './selector';

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
    ['size>9223372036854775806', { size: '9223372036854775807' }, true],
    ['size>1', { size: '9223372036854775808' }, false],
    ['size>007', { size: '0008' }, true],
    ['a=1,!b,c in (x,y)', { a: '1', c: 'y' }, true],
    ['a=1,!b,c in (x,y)', { a: '1', b: '', c: 'y' }, false],
    ['in=a,notin=b', { in: 'a', notin: 'b' }, true],
    ['a=in', { a: 'in' }, true],
    ['app.kubernetes.io/name=web', { 'app.kubernetes.io/name': 'web' }, true],
    ['constructor', {}, false],
    ['!constructor', {}, true],
  ])('§10.3 %j on %j: %j', (text, labels, matches) => expect(parseSelector(text).matches(labels)).toBe(matches));
});

describe('parseSelector', () => {
  it.each([
    ['env!', 'is not an operator'],
    ['env=*', 'to select any value write the key alone'],
    ['env=a,', 'a label key is missing at the end'],
    [',env', '"," is not a label key'],
    ['env=a env=b', '"env" found where "," is expected'],
    ['env in ()', 'the list of values is empty'],
    ['env in (a', 'the end found where "," is expected'],
    ['env in a', 'found where "(" is expected'],
    ['env in (a b)', 'found where "," is expected'],
    ['env=foo:bar', '"foo:bar" is not a label value'],
    ['env===a', 'is not a label value'],
    ['size>big', '"big" is not an integer'],
    ['size>', '"" is not an integer'],
    ['size>9223372036854775808', 'is not an integer'],
    ['-a=b', '"-a" is not a label key'],
    ['/a=b', '"/a" is not a label key'],
    ['a/b/c=d', '"a/b/c" is not a label key'],
    [`${'a'.repeat(64)}=b`, 'is not a label key'],
    [`a=${'b'.repeat(64)}`, 'is not a label value'],
    ['!', 'a label key is missing at the end'],
    ['(a)', '"(" is not a label key'],
  ])('§10.3 refuses %j: %s', (text, reason) => {
    expect(() => parseSelector(text)).toThrow(SelectorError);
    expect(() => parseSelector(text)).toThrow(reason);
  });

  it('quotes a long text only in part', () => {
    expect(() => parseSelector('a'.repeat(100_000))).toThrow(/^.{1,600}$/);
    expect(() => parseSelector(`a in ${'b'.repeat(100_000)}`)).toThrow(/^.{1,600}$/);
  });

  it('reports whether it selects everything, and keeps its text for the API', () => {
    expect(parseSelector('').isEverything).toBe(true);
    expect(parseSelector('a').isEverything).toBe(false);
    expect(parseSelector('a in (b)').text).toBe('a in (b)');
  });

  const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9_.]{0,20}[a-z0-9])?$/);

  it('selects the labels it was built from, and no others', () => {
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

  const value = fc.oneof(label, fc.constant(''));
  const requirement = fc.oneof(
    fc.record({ key: label, operator: fc.constantFrom('exists', 'absent') }),
    fc.record({
      key: label,
      operator: fc.constantFrom('in', 'notin'),
      values: fc.array(value, { minLength: 1, maxLength: 4 }),
    }),
    fc.record({
      key: label,
      operator: fc.constantFrom('>', '<'),
      bound: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    }),
  ) as fc.Arbitrary<Requirement>;

  it('parses what was written, with any white space', () => {
    const space = fc.stringMatching(/^[ \t\n]{0,2}$/);
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 5 }), fc.infiniteStream(space), (requirements, spaces) => {
        const spaced = (...parts: readonly string[]) => parts.map((part) => `${next(spaces)}${part}`).join('');
        const text = requirements.map((one) => spaced(...partsOf(one))).join(',');
        expect(parseSelector(text).requirements).toEqual(requirements);
      }),
    );
  });

  it('matches if every requirement holds, as Kubernetes defines it', () => {
    const few = fc.constantFrom('a', 'b', '', '7');
    const keys = fc.constantFrom('x', 'y');
    const small = requirement.chain((one) =>
      fc.record({ key: keys, values: fc.array(few, { minLength: 1, maxLength: 2 }) }).map(({ key, values }) => ({
        ...one,
        key,
        ...('values' in one && { values }),
        ...('bound' in one && { bound: 5n }),
      })),
    ) as fc.Arbitrary<Requirement>;
    fc.assert(
      fc.property(
        fc.array(small, { maxLength: 3 }),
        fc.dictionary(keys, few, { noNullPrototype: true }),
        (requirements, labels) => {
          const text = requirements.map((one) => partsOf(one).join(' ')).join(',');
          expect(parseSelector(text).matches(labels)).toBe(requirements.every((one) => model(one, labels[one.key])));
        },
      ),
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

/** A requirement as a person would write it, split where white space is allowed. */
function partsOf(requirement: Requirement): readonly string[] {
  const { key } = requirement;
  switch (requirement.operator) {
    case 'exists':
      return [key];
    case 'absent':
      return ['!', key];
    case 'in':
    case 'notin':
      // An empty list is refused; a word operator needs a space around it, unlike the signs.
      if (requirement.values.join('') === '' && requirement.values.length === 1) {
        return [key, requirement.operator === 'in' ? '=' : '!='];
      }
      return [key, ` ${requirement.operator}`, '(', requirement.values.join(' , '), ')'];
    default:
      return [key, requirement.operator, String(requirement.bound)];
  }
}

/** The table of the Kubernetes documentation on label selectors. */
function model(requirement: Requirement, value: string | undefined): boolean {
  switch (requirement.operator) {
    case 'exists':
      return value !== undefined;
    case 'absent':
      return value === undefined;
    case 'in':
      return value !== undefined && requirement.values.includes(value);
    case 'notin':
      return value === undefined || !requirement.values.includes(value);
    case '>':
      return value === '7';
    case '<':
      return false;
  }
}

function next(spaces: fc.Stream<string>): string {
  return spaces.next().value as string;
}
