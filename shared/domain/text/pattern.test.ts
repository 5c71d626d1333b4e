import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { emptyNamedList, namesIn, parseNamedList, searchPattern } from './pattern';

const matches = (list: string, name: string): boolean => parseNamedList(list).matchers.matches(name);

describe('parseNamedList', () => {
  it.each([
    ['app', 'app', true],
    ['app', 'app-1', false],
    ['foo, app ,bar', 'app', true],
    ['foo,\n  app', 'app', true],
    ['app-.*', 'app-1', true],
    ['my.cfg', 'myXcfg', true],
    ['*', 'anything', true],
    ['^app$', 'app', true],
    ['(foo|baz)', 'foobar', false],
    ['foo|baz', 'foobar', true],
    ['foo|baz', 'xbaz', true],
    ['a{1,3}', 'aaa', false],
    ['APP', 'app', false],
    ['(?i)APP', 'app', true],
    ['(?U)a+', 'aa', true],
    ['\\Aapp\\z', 'app', true],
    ['\\pL+', 'app', true],
    ['[[:alpha:]]+', 'app', true],
    ['\\Qa.b\\E', 'a.b', true],
    ['\\Qa.b\\E', 'axb', false],
    ['(?P<env>prod|test)-db', 'prod-db', true],
    ['app.', 'app\n', false],
    ['app', 'app\n', false],
    ['^app$', 'app\n', false],
    ['', '', false],
    [' , ,', '', false],
  ])('§2.6 %j on %j: %j', (list, name, expected) => expect(matches(list, name)).toBe(expected));

  it('is empty without a value', () => {
    const { matchers, problems } = parseNamedList(undefined);
    expect(matchers.isEmpty).toBe(true);
    expect(matchers.matches('')).toBe(false);
    expect(problems).toEqual([]);
  });

  it('distinguishes literal names from patterns', () => {
    const { matchers } = parseNamedList('app, db-1, my.cfg');
    expect([...matchers.literals]).toEqual(['app', 'db-1']);
    expect(matchers.hasPatterns).toBe(true);
    expect(parseNamedList('app').matchers.hasPatterns).toBe(false);
    expect(matchers.toString()).not.toBe(parseNamedList('app, db-1, my.conf').matchers.toString());
  });

  it.each(['app[', '(?=a)b', '(?<!a)b', '(a)\\1', 'a**', '(a'])(
    '§2.6 names the bad element %s and keeps the others',
    (bad) => {
      const { matchers, problems } = parseNamedList(`${bad},app,my.cfg`);
      expect(problems).toEqual([expect.objectContaining({ element: bad, message: expect.stringContaining('RE2') })]);
      expect([matchers.matches('app'), matchers.matches('my.cfg')]).toEqual([true, true]);
    },
  );

  it('warns that alternatives are not anchored together', () => {
    expect(parseNamedList('foo|baz').problems).toEqual([
      expect.objectContaining({ fix: 'write (foo|baz) to match whole names' }),
    ]);
    expect(parseNamedList('(foo|baz),[|],\\|').problems).toEqual([]);
  });

  it.each(['a{1,3}', 'a{1,}', 'a{,3}'])('reports that the comma cuts off %s', (list) => {
    expect(parseNamedList(list).problems).toEqual([
      expect.objectContaining({ code: 'bad-pattern', message: expect.stringContaining('a comma always ends') }),
    ]);
  });

  it('quotes no more of a pattern than fits on a line', () => {
    const [problem] = parseNamedList(`(${'x'.repeat(1_000)}`).problems;
    expect(`${problem?.message} ${problem?.fix}`.length).toBeLessThan(250);
  });

  it.each([
    ['repetitions', Array.from({ length: 30 }, (_, index) => `${index}x{90}+`).join(',')],
    ['a repeated group', `(${'x.'.repeat(20)}){900}`],
    ['nested repetitions', '((a{30}b){30}c){30}'],
    ['length', 'x+'.repeat(10_000)],
    ['number', 'a+,'.repeat(400)],
    ['number of bad elements', '[,'.repeat(400)],
    ['Unicode classes', '\\pL,'.repeat(400)],
  ])('bounds the cost of a list by its %s, and keeps its names', (_, list) => {
    const { matchers, problems } = parseNamedList(`app,${list}`);
    expect(problems.at(-1)?.message).toContain('too large');
    expect(problems.length).toBeLessThan(1_000);
    expect(matchers.matches('app')).toBe(true);
  });

  it.each(['a{1001}', 'x?'.repeat(100), '((a{9}){9}){9}', '\\pL\\pN'])(
    'refuses %s alone: matching it would cost too much',
    (large) => {
      const { matchers, problems } = parseNamedList(`${large},app,db-.+`);
      expect(problems).toMatchObject([{ code: 'pattern-refused', element: large }]);
      expect([matchers.matches('app'), matchers.matches('db-1')]).toEqual([true, true]);
    },
  );

  it('refuses a pattern that takes too many states, and with several of them all that come after', () => {
    const large = (digit: number): string => `.*a.{60}[c-y${digit}]`;
    const { matchers, problems } = parseNamedList(`${large(0)},db-.+`);
    expect(problems).toMatchObject([{ code: 'pattern-refused', element: large(0) }]);
    expect(matchers.matches('db-1')).toBe(true);
    const list = parseNamedList(`app,web-.+,${[1, 2, 3, 4, 5, 6].map(large).join(',')},db-.+`);
    expect(list.problems.map(({ element }) => element)).toEqual([1, 2, 3, 4, 5].map(large));
    expect(list.problems.at(-1)?.message).toContain('every pattern after it');
    expect(['app', 'web-1', 'db-1'].map((name) => list.matchers.matches(name))).toEqual([true, true, false]);
  });

  it.each([
    ['names', Array.from({ length: 501 }, (_, index) => `n${index}`).join(',')],
    ['patterns', Array.from({ length: 501 }, (_, index) => `n.${index}`).join(',')],
    ['bytes', 'x'.repeat(32 * 1024 + 1)],
    ['bytes of characters', 'ä'.repeat(16 * 1024 + 1)],
  ])('ignores the whole list and reports it when it has too many %s', (_, list) => {
    const { matchers, problems } = parseNamedList(list);
    expect(matchers).toBe(emptyNamedList);
    expect(problems).toMatchObject([
      { code: 'over-budget', message: expect.stringMatching(/^has more than \d+ .* as a whole$/) },
    ]);
    expect(namesIn(list)).toEqual([]);
  });

  it('accepts a list that just fits', () => {
    const names = Array.from({ length: 500 }, (_, index) => `n${index}`);
    expect(parseNamedList(names.join(',')).matchers.literals).toEqual(new Set(names));
    expect(namesIn(names.join(','))).toEqual(names);
    expect(parseNamedList('x'.repeat(32 * 1024)).problems).toEqual([]);
  });

  it.each(['my.cfg', '..', 'a.b-c.', '.'])('matches %s as RE2 does, without RE2', (list) => {
    const reference = RE2JS.compile(`^${list}$`);
    const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'f', 'g', 'm', 'y', '.', '-', '\n'), maxLength: 8 });
    const near = fc.array(fc.nat(list.length), { maxLength: 2 }).map((places) => {
      return places.reduce((text, place) => `${text.slice(0, place)}x${text.slice(place + 1)}`, list);
    });
    fc.assert(
      fc.property(fc.oneof(name, near), (tried) => {
        expect(matches(list, tried)).toBe(reference.test(tried));
      }),
    );
  });

  it('the budget has room for realistic lists', () => {
    const uuid = '[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}';
    const list = ['(app|web)-[0-9]{1}', uuid, '(prod|test)-([a-z]{3}-){2}db', 'my.cfg'].join(',');
    expect(parseNamedList(`${list},${'a'.repeat(253)},${'db-.*,'.repeat(40)}`).problems).toEqual([]);
  });

  it('takes linear time for any list (Appendix A)', () => {
    // Exponential for a backtracking engine: it would not finish.
    expect(matches('(a*)*(a*)*(a*)*b', 'a'.repeat(253))).toBe(false);
  });

  it('never throws for any list', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (list, name) => {
        parseNamedList(list).matchers.matches(name);
      }),
    );
  });

  it('a name matches only itself', () => {
    const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), name, (names, other) => {
        const { matchers } = parseNamedList(names.join(', '));
        expect(names.every((each) => matchers.matches(each))).toBe(true);
        expect(matchers.matches(other)).toBe(names.includes(other));
      }),
    );
  });
});

describe('searchPattern', () => {
  it.each([
    ['b+', 'abc', true],
    ['^b', 'abc', false],
    ['^[\\w-]{2,4}\\/x$', 'a-b/x', true],
    ['\\u0061', 'a', true],
  ])('finds %s in %s: %s', (pattern, text, found) => {
    expect(searchPattern(pattern)?.isIn(text)).toBe(found);
  });

  it.each(['(?=a)', '(?<!a)b', '(a)\\1', '(', '(a{1,1000}){2,1000}', 'a{99999}'])('refuses %s', (pattern) => {
    expect(searchPattern(pattern)).toBeUndefined();
  });
});
