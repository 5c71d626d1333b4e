import { beforeAll, describe, expect, it } from '@jest/globals';
import { budgets } from '../budgets';
import type { CanonicalForms } from '../sources/content-digest';
import { loadCanonicalForms } from './canonical-forms';

let forms: CanonicalForms;

beforeAll(async () => {
  forms = await loadCanonicalForms((_limitMs, work) => work());
});

function formOf(key: string, text: string): string | undefined {
  return forms([[key, Buffer.from(text)]])
    .get(key)
    ?.toString();
}

describe('the canonical form is the same for', () => {
  it.each([
    ['a.json', '{"a":[1,{"b":null}],"c":"d"}', ' { "c" : "d",\r\n\t"a": [ 1, { "b": null } ] }\n'],
    ['a.json', '"\\u0041/"', '"A\\/"'],
    ['A.JSON', '[]', '[ ]'],
    ['a.json', '{"a":{},"b":[[],{}]}', '{"b":[[],{}],"a":{}}'],
    ['a.yaml', 'a: 1\nb: [x, y]\n', '# how much\nb:\n  - x   # one\n  - y\n\na:   1'],
    ['a.yml', 'a: "x"', "a: 'x'"],
    ['a.yaml', 'a: |\n  x\n  y\n', 'a: "x\\ny\\n"'],
    ['a.yaml', 'a: 1\n---\nb: 2\n', '---\na: 1\n---\n# next\nb: 2'],
    ['a.yaml', 'a: &x {b: 1, c: 2}\nd: *x', 'd: &x {c: 2, b: 1}\na: *x'],
    ['a.yaml', '? [a, b]\n: c\n', '[a,  b]: c'],
    ['a.yaml', 'a: [b: 1]', 'a:\n- b: 1'],
    ['a.toml', 'a = 1\n[b]\nc = "d"\n', "# comment\nb = { c = 'd' }\na = 0x1 # one\n"],
    ['a.toml', 'a = [1.5, true]', 'a = [\n  1.50,\n  true,\n]'],
    ['a.properties', 'a=1\nb.c = two words', '# comment\n! other\nb.c:two \\\n   words\n\n  a 1'],
    ['a.properties', 'a\\:b=\\u0041', 'a\\u003ab = A'],
    ['a.properties', 'a=\r\nb=1\r\n', 'b=1\na'],
  ])('%s: %j and %j', (key, left, right) => {
    const form = formOf(key, left);
    expect(form).toBeDefined();
    expect(formOf(key, right)).toBe(form);
  });
});

describe('the canonical form differs for', () => {
  it.each([
    ['a.json', '1', '"1"'],
    ['a.json', '1', '1.0'],
    ['a.json', '12345678901234567890', '12345678901234567891'],
    ['a.json', '[1,2]', '[2,1]'],
    ['a.json', '[[1],2]', '[1,[2]]'],
    ['a.json', '{"a":"b,c"}', '{"a":"b","c":""}'],
    ['a.json', 'null', '"null"'],
    ['a.yaml', 'a: 1', 'a: "1"'],
    ['a.yaml', 'a: 1', 'a: 1.0'],
    ['a.yaml', 'a: yes', 'a: "yes"'],
    ['a.yaml', 'a: 010', 'a: 8'],
    ['a.yaml', 'a: !!str 1', 'a: 1'],
    ['a.yaml', 'a: x', 'a: "x"'],
    ['a.yaml', 'a:', 'a: ""'],
    ['a.yaml', '[a, b]', '[b, a]'],
    ['a.yaml', 'a: [b]', 'a: b'],
    ['a.yaml', 'a: 1\n---\nb: 2', 'b: 2\n---\na: 1'],
    ['a.yaml', 'a: 1\n---\nb: 2', 'a: 1\nb: 2'],
    ['a.yaml', '%YAML 1.1\n---\na: yes', 'a: yes'],
    ['a.yaml', 'a: &x 1\nb: *x', 'a: &x 1\nb: 2'],
    ['a.yaml', 'a: |\n  x\n', 'a: |-\n  x\n'],
    ['a.toml', 'a = 1', 'a = 1.0'],
    ['a.toml', 'a = 1', 'a = "1"'],
    ['a.toml', 'a = 9007199254740993', 'a = 9007199254740992'],
    ['a.toml', 'a = 0.0', 'a = -0.0'],
    ['a.properties', 'a=1', 'a=1 '],
    ['a.properties', 'a=1\\\n2', 'a=1\n2'],
    ['a.properties', 'a=\\u0041', 'a=\\u0042'],
  ])('%s: %j and %j', (key, left, right) => {
    const form = formOf(key, left);
    expect(form).toBeDefined();
    expect(formOf(key, right)).toBeDefined();
    expect(formOf(key, right)).not.toBe(form);
  });

  it('the same text in another format', () => {
    expect(formOf('a.json', '1')).not.toBe(formOf('a.toml', ''));
  });
});

describe('there is no canonical form of', () => {
  it.each([
    ['a key of another format', 'a.txt', 'a'],
    ['variables, whose order and quotes readers understand differently', 'a.env', 'A=1'],
    ['JSON with a comment', 'a.json', '[1] // one'],
    ['no JSON', 'a.json', '{'],
    ['nothing', 'a.json', ''],
    ['JSON with a key twice', 'a.json', '{"a":1,"\\u0061":2}'],
    ['JSON that is too deep', 'a.json', '['.repeat(1_000) + ']'.repeat(1_000)],
    ['no YAML', 'a.yaml', 'a: [b'],
    ['YAML with a key twice', 'a.yaml', 'a: 1\na: 2'],
    ['YAML with a key twice, once in quotes', 'a.yaml', 'a: 1\n"a": 2'],
    ['YAML with a key twice, once with an anchor', 'a.yaml', '&x a: 1\na: 2'],
    ['YAML with a key twice, once with a tag', 'a.yaml', '[!!str a: 1, {a: 1, !!str a: 2}]'],
    ['YAML with an alias as a key', 'a.yaml', 'a: &x b\nb: 1\n*x : 2'],
    ['YAML with a tag that is not known', 'a.yaml', 'a: !secret b'],
    ['YAML with an alias of nothing', 'a.yaml', 'a: *b'],
    ['YAML that contains itself', 'a.yaml', 'a: &a [*a]'],
    ['YAML that is too deep', 'a.yaml', '['.repeat(1_000)],
    ['no TOML', 'a.toml', 'a ='],
    ['TOML with a time', 'a.toml', 'a = 07:32:00.999999'],
    ['no properties', 'a.properties', 'a=\\u00'],
    ['properties with a key twice', 'a.properties', 'a=1\na=2'],
    ['YAML that is too large', 'a.yaml', `[${' '.repeat(budgets.parsedBytes)}]`],
    ['JSON that is too large', 'a.json', `[${' '.repeat(8 * budgets.parsedBytes)}]`],
  ])('%s', (_, key, text) => {
    expect(formOf(key, text)).toBeUndefined();
  });

  it('what is no text', () => {
    expect(forms([['a.json', Buffer.from([0x22, 0xff, 0x22])]]).size).toBe(0);
  });

  it('keys beyond the budget of the source, in the order of their names', () => {
    const half = Buffer.from(`[${' '.repeat(4 * budgets.parsedBytes)}]`);
    const found = forms([
      ['c.json', half],
      ['b.json', half],
      ['a.json', Buffer.from('[]')],
    ]);
    expect([...found.keys()]).toEqual(['a.json', 'b.json']);
  });

  it('what takes too long to parse', async () => {
    const stopped = await loadCanonicalForms((limitMs) => {
      throw new Error(`not done within ${limitMs} ms`);
    });
    expect(stopped([['a.json', Buffer.from('[]')]]).size).toBe(0);
  });
});

describe('the canonical form of an alias bomb', () => {
  it('is as small as its text', () => {
    const lines = Array.from({ length: 100 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`);
    expect(formOf('a.yaml', `a0: &a0 x\n${lines.join('\n')}`)?.length).toBeLessThan(50_000);
  });
});
