import { describe, expect, it } from '@jest/globals';
import { contentFaults, loadSchema } from './content-faults';
import { formatOf } from './content-format';
import { NestingError } from './document-node';

/** The result for one key, without a schema. */
async function faultsOf(key: string, text: string): Promise<readonly string[]> {
  return contentFaults(key, text, await formatOf(key)!.load(), []).faults;
}

/** Text from the content that must not appear in a message. */
const canary = 'hunter2';

const sound: readonly (readonly [key: string, text: string])[] = [
  ['a.json', '{"a": [1, -2.5e3, "\\u00e9\\n", null, true]}'],
  ['a.json', ' "text" \n'],
  ['a.JSON', '[]'],
  ['a.yaml', ''],
  ['a.yaml', '# nothing\n'],
  ['a.yaml', 'a: 1\nb:\n  - c\n  - {d: e}\n'],
  ['a.yml', '---\na: 1\n---\na: 2\n...\n'],
  ['a.yaml', 'a: &a {b: 1}\nc: *a\nd: {<<: *a}\n'],
  ['a.yaml', 'x:\n  <<: {a: 1}\n  <<: {b: 2}\n'],
  ['a.yaml', 'a: 1\n"1": b\n1: c\n'],
  ['a.yaml', 'a: !own {b: 1}\n'],
  ['a.yaml', '%YAML 1.1\n---\n2026-11-21: a\n2026-11-22: b\n'],
  ['a.yaml', '? [a, b]\n: c\n? [a, b]\n: d\n'],
  ['a.toml', 'a = 1\n[b]\nc = ["x", """\ny\n"""]\nd = 2026-11-21T22:00:00Z\n[[e]]\n[[e]]\n'],
  ['a.toml', 'large = 9223372036854775807\n__proto__ = 1\n'],
  ['a.properties', 'a=b\nc : d\ne f\n! # comment \\u\nalone\ng=\\u00e9 \\\\u\na=again\n'],
  ['.env', 'A=1\nexport B = "two\nlines"\n# comment\n\nC=\nD=it\'s\nE=\'x\'# y\nF.g-h="\\""\n'],
  ['.env', 'A=`{\n  "b": \'c\'\n}`\nB=`x` # y\nC=`not closed\n'],
  ['.env', 'A: 1\nexport B: "two\nlines"\nC:\n'],
];

const broken: readonly (readonly [key: string, text: string, fault: string])[] = [
  ['a.json', '', 'a.json:1:1: a value is missing'],
  ['a.json', '{\n  "a": 1,\n}', 'a.json:3:1: a property name in double quotes is missing'],
  ['a.json', '{"a" 1}', 'a.json:1:6: a colon is missing'],
  ['a.json', '{"a":1\r\n  "b":2}', 'a.json:2:3: a comma is missing'],
  ['a.json', `{"${canary}": ${canary}}`, 'a.json:1:13: this is not a JSON value'],
  ['a.json', '[1,\n\n  2', 'a.json:3:4: a closing bracket is missing'],
  ['a.json', '{"a": {}', 'a.json:1:9: a closing brace is missing'],
  ['a.json', '[1,]', 'a.json:1:4: a value is missing'],
  ['a.json', `["${canary}`, 'a.json:1:2: a string is not closed'],
  ['a.json', '["\t"]', 'a.json:1:2: a control character in a string must be escaped'],
  ['a.json', '["\\x"]', 'a.json:1:2: this is not an escape sequence'],
  ['a.json', '["\\u12"]', 'a.json:1:2: a \\u escape needs four hexadecimal digits'],
  ['a.json', '{} {}', 'a.json:1:4: nothing may follow the value'],
  ['a.json', '{}\n// x', 'a.json:2:1: JSON has no comments'],
  ['a.json', '/* x */ {}', 'a.json:1:1: JSON has no comments'],
  ['a.json', '[1.]', 'a.json:1:2: a number is not complete'],
  ['a.json', '[01]', 'a.json:1:3: a comma is missing'],
  ['a.json', '\ufeff{}', 'a.json:1:1: this is not a JSON value'],
  ['a.yaml', 'a: 1\nb: [1, 2\nc: 3\n', 'a.yaml:3:1: the indentation is wrong, or a bracket or brace is not closed'],
  ['a.yaml', `a: ${canary}: c\n`, 'a.yaml:1:4: a mapping cannot begin here: a value with a colon needs quotes'],
  [
    'a.yaml',
    `a: "${canary}\n`,
    'a.yaml:2:1: a character is missing here: a quote, a comma, a colon, a space or a bracket',
  ],
  ['a.yaml', 'a: 1\n\tb: 2\n', 'a.yaml:2:1: a tab cannot be used for indentation'],
  ['a.yaml', `- a\n${canary}: 1\n`, 'a.yaml:2:1: this is not allowed here'],
  ['a.yaml', 'a\nb: 1\n', 'a.yaml:1:1: a key and its colon must be on one line'],
  ['a.yaml', 'a: "\\q"\n', 'a.yaml:1:5: this is not an escape sequence'],
  ['a.yaml', `a: @${canary}\n`, 'a.yaml:1:4: a value that begins with this character needs quotes'],
  ['a.yaml', 'a: 1\nb: 2\na: 3\n', 'a.yaml:3:1: this key appears twice'],
  ['a.yaml', 'x:\n  - {a: 1, "a": 2}\n', 'a.yaml:2:12: this key appears twice'],
  ['a.yaml', '---\na: 1\n---\nb: 1\nb: 1\n', 'a.yaml:5:1: this key appears twice'],
  ['a.yaml', `a: *${canary}\n`, 'a.yaml:1:4: an alias has no anchor'],
  ['a.yaml', 'a: &x 1\n---\nb: *x\n', 'a.yaml:3:4: an alias has no anchor'],
  ['a.yaml', 'a: &x [1, *x]\n', 'a.yaml:1:11: an alias refers to a value that contains it'],
  ['a.yml', 'a: {b: 1\n', 'a.yml:2:1: the indentation is wrong, or a bracket or brace is not closed'],
  ['a.toml', 'a = 1\na = 2\n', 'a.toml:2:1: this is defined twice'],
  ['a.toml', `a = ${canary}\n`, 'a.toml:1:5: this is not a value: a text needs quotes'],
  ['a.toml', `a = "${canary}\n`, 'a.toml:1:13: a string or comment is not closed, or has a control character'],
  ['a.toml', 'a = [1, 2\n', 'a.toml:2:1: a comma or the closing bracket is missing'],
  ['a.toml', 'a = 1 b = 2\n', 'a.toml:1:7: a line can have one key and its value'],
  ['a.toml', 'a\n', 'a.toml:1:2: a key needs an equals sign, and quotes if it has other characters'],
  ['a.toml', 'a b = 1\n', 'a.toml:1:3: a key needs an equals sign, and quotes if it has other characters'],
  ['a.toml', 'a = 01\n', 'a.toml:1:5: a number cannot begin with a zero'],
  ['a.toml', 'a = "\\q"\n', 'a.toml:1:7: this is not an escape sequence'],
  ['a.toml', '\n[[a]\n', 'a.toml:2:5: the closing brackets of the table are missing'],
  ['a.toml', 'a = 2026-13-45\n', 'a.toml:1:5: this is not a date or time'],
  ['a.properties', `a=b\nc=${canary}\\u12x4\n`, 'a.properties:2:10: a \\u escape needs four hexadecimal digits'],
  ['a.properties', 'a=b\n<<<<<<< HEAD\n', 'a.properties:2:1: this is left over from a merge conflict'],
  ['.env', `A=1\n2${canary}=x\n`, '.env:2:1: this is not a variable name'],
  ['prod.env', `A=1\n  ${canary}\n`, 'prod.env:2:10: an equals sign is missing'],
  ['.env', `A=1\n${canary}://x\n`, '.env:2:8: an equals sign is missing'],
  ['.env', `A="${canary}\nB=1\n`, '.env:1:3: a quote is not closed'],
  ['.env', "export A='x\n", '.env:1:10: a quote is not closed'],
  ['.env', 'A=1\n=======\n', '.env:2:1: this is left over from a merge conflict'],
];

describe('contentFaults', () => {
  it.each(sound)('finds none in %s: %j', async (key, text) => {
    expect(await faultsOf(key, text)).toEqual([]);
  });

  it.each(broken)('finds the fault in %s: %j', async (key, text, fault) => {
    const faults = await faultsOf(key, text);
    expect(faults).toEqual([fault]);
    expect(faults.join()).not.toContain(canary);
  });

  it('detects formats by the names of keys', () => {
    expect(['app.json.bak', 'json', 'README', 'a.xml'].filter((key) => formatOf(key))).toEqual([]);
  });

  it.each([
    ['many keys', Array.from({ length: 12_000 }, (_, index) => `a${index}: 1`).join('\n')],
    ['many aliases', `a: &a 1\nb: [${'*a,'.repeat(30_000)}]`],
    ['a bomb of aliases', bomb()],
    ['a deep list', `a: ${'['.repeat(200)}${']'.repeat(200)}`],
  ])('takes no longer for YAML of %s', async (_what, text) => {
    expect(text.length).toBeLessThan(formatOf('a.yaml')!.maxLength);
    expect(await faultsOf('a.yaml', text)).toEqual([]);
  });
});

describe('a text with too many levels', () => {
  // Without a limit, the parser would end the process that runs this test, and no error could be caught.
  const levels = [300, 5_000, 60_000];
  it.each<[string, string, (depth: number) => string]>([
    ['lists', 'a.yaml', (depth) => '['.repeat(depth)],
    ['closed lists', 'a.yaml', (depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`],
    ['maps', 'a.yaml', (depth) => '{a: '.repeat(depth)],
    ['keys', 'a.yaml', (depth) => `${'['.repeat(depth)}${']'.repeat(depth)}: b`],
    ['block lists', 'a.yaml', (depth) => `${'- '.repeat(depth)}a`],
    ['block keys', 'a.yaml', (depth) => `${'? '.repeat(depth)}a`],
    ['arrays', 'a.toml', (depth) => `a = ${'['.repeat(depth)}`],
    ['tables', 'a.toml', (depth) => `a = ${'{ b = '.repeat(depth)}`],
  ])('is not parsed: %s', async (_what, key, text) => {
    for (const depth of levels) await expect(faultsOf(key, text(depth))).rejects.toThrow(NestingError);
  });
});

/** Each list contains the previous one ten times: 10^9 values, if they were copied. */
function bomb(): string {
  const lists = Array.from({ length: 9 }, (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index},`.repeat(10)}]`);
  return ['a0: &a0 x', ...lists].join('\n');
}

describe('contentFaults with a schema', () => {
  const schemaText = `{
  "type": "object",
  "required": ["port"],
  "properties": {
    "port": {"type": "integer", "maximum": 65535},
    "hosts": {"items": {"pattern": "^[a-z]+$"}}
  },
  "additionalProperties": false
}`;

  async function faults(key: string, text: string, schema = schemaText) {
    const root = loadSchema('shapes/app.json', schema, await formatOf('app.json')!.load());
    return contentFaults(key, text, await formatOf(key)!.load(), [root]);
  }

  it.each([
    ['a.json', '{"port": 80, "hosts": ["a"]}', []],
    ['a.json', '{}', ['a.json:1:1: a property that the schema requires is missing (shapes/app.json:3:15)']],
    [
      'a.json',
      `{"port":\n  "${canary}"}`,
      ['a.json:2:3: the type is not one that the schema allows (shapes/app.json:5:22)'],
    ],
    [
      'a.yaml',
      `port: 80\nhosts:\n  - a\n  - ${canary.toUpperCase()}\n`,
      ['a.yaml:4:5: the text does not match the pattern of the schema (shapes/app.json:6:36)'],
    ],
    [
      'a.yaml',
      `port: 80\n---\nport: 1\n${canary}: x\n`,
      ['a.yaml:4:1: the schema does not know this property (shapes/app.json:8:27)'],
    ],
    ['a.toml', 'port = 70000\n', ['a.toml:1:1: the number is larger than the schema allows (shapes/app.json:5:44)']],
    ['a.toml', 'port = 80\nhosts = ["a"]\n', []],
    ['a.properties', 'port=80', []],
  ])('finds the fault in %s: %j', async (key, text, expected) => {
    const result = await faults(key, text);
    expect(result).toEqual({ faults: expected, unusable: [] });
    expect(JSON.stringify(result).toLowerCase()).not.toContain(canary);
  });

  const portOrTooLarge = '{"items": {"required": ["port"], "properties": {"port": {"maximum": 9}}}}';
  const missing = 'a property that the schema requires is missing (shapes/app.json:1:24)';
  const tooLarge = 'the number is larger than the schema allows (shapes/app.json:1:69)';

  it.each([
    ['a map', '- &a {port: 1}\n- <<: *a\n', []],
    [
      'a map with its fault where that is',
      '- &a {port: 10}\n- <<: *a\n',
      [`a.yaml:1:13: ${tooLarge}`, `a.yaml:1:13: ${tooLarge}`],
    ],
    ['a map, less than what the own keys say', '- &a {port: 1}\n- {port: 10, <<: *a}\n', [`a.yaml:2:10: ${tooLarge}`]],
    ['a list, the first of which counts', '- <<: [{port: 10}, {port: 1}]\n', [`a.yaml:1:15: ${tooLarge}`]],
    ['several', '- <<: {other: 1}\n  <<: {port: 1}\n', []],
    ['in YAML 1.1', '%YAML 1.1\n---\n- &a {port: 1}\n- <<: {other: 1}\n  <<: *a\n', []],
    ['with its tag', '- !!merge <<: {port: 1}\n', []],
    ['what is no map, as a property', '- <<: [1, {port: 1}]\n', [`a.yaml:1:3: ${missing}`]],
    ['a name in quotes, as a property', '- "<<": {port: 1}\n', [`a.yaml:1:3: ${missing}`]],
  ])('takes merges of YAML: %s', async (_what, text, expected) => {
    expect((await faults('a.yaml', text, portOrTooLarge)).faults).toEqual(expected);
  });

  it.each([
    ['as many keys as are merged', 64, []],
    ['more, as a property', 65, expect.arrayContaining([expect.stringContaining(missing)])],
  ])('takes merges of YAML: %s, in all documents together', async (_what, merges, expected) => {
    const keys = Array.from({ length: 255 }, (_, index) => `k${index}: 1`).join(', ');
    const items = '- {<<: *a}\n'.repeat(merges);
    expect(
      (await faults('a.yaml', `- &a {port: 1, ${keys}}\n---\n- &a {port: 1, ${keys}}\n${items}`, portOrTooLarge))
        .faults,
    ).toEqual(expected);
  });

  it('takes merges of YAML: empty maps count, too', async () => {
    const text = `- port: 1\n  empty: &l [${'{},'.repeat(16_384)}]\n- {port: 1, <<: *l}\n- {<<: {port: 1}}\n`;
    expect((await faults('a.yaml', text, portOrTooLarge)).faults).toEqual([`a.yaml:4:3: ${missing}`]);
  });

  it('takes merges of YAML: the merge itself is no property', async () => {
    const numbers = '{"items": {"additionalProperties": {"type": "number"}}}';
    expect((await faults('a.yaml', '- &a {port: 1}\n- <<: *a\n', numbers)).faults).toEqual([]);
  });

  it('reports positions in TOML, in tables too', async () => {
    const schema =
      '{"additionalProperties": {"additionalProperties": {"type": "string"}, "items": {"maxProperties": 1}}}';
    const text = `
[a]
b = """
[no.table]
"""
"c d".e = 1
[[f]]
g = 1
[[f]]
g = 1
h = 2
[a.z]
x = [
  1,
]`;
    expect((await faults('a.toml', text, schema)).faults).toEqual([
      'a.toml:6:1: the type is not one that the schema allows (shapes/app.json:1:60)',
      'a.toml:12:2: the type is not one that the schema allows (shapes/app.json:1:60)',
      'a.toml:9:3: there are more properties than the schema allows (shapes/app.json:1:98)',
    ]);
  });

  it.each([
    ['a date', '%YAML 1.1\n---\n2026-11-21\n', { const: '2026-11-21' }],
    ['a tagged date', '!!timestamp 2026-11-21\n', { const: '2026-11-21' }],
    ['bytes', '!!binary aGk=\n', { const: 'aGk=' }],
    ['an integer with the tag of floats', '!!float -1\n', { const: -1 }],
    ['what is no number with that tag', '!!float x\n', { const: 'x' }],
  ])('sees %s of YAML as it is written', async (_what, text, schema) => {
    expect((await faults('a.yaml', text, JSON.stringify(schema))).faults).toEqual([]);
  });

  it('tells the infinite numbers of YAML apart', async () => {
    const limits = '{"uniqueItems": true, "items": {"uniqueItems": true}}';
    expect((await faults('a.yaml', '- [-.inf, 0, -0.0, .inf, .nan, ~]\n- [-.inf]\n- [.inf]\n', limits)).faults).toEqual(
      ['a.yaml:1:3: the list has an item twice, which the schema does not allow (shapes/app.json:1:48)'],
    );
    expect((await faults('a.yaml', '[-.inf, 0, .inf, .nan, ~]\n', limits)).faults).toEqual([]);
  });

  it('reports at most twenty faults', async () => {
    expect((await faults('a.json', `{"hosts": [${'"A",'.repeat(50)} "A"]}`)).faults).toHaveLength(20);
  });

  it('reports them of however many documents', async () => {
    const parse = await formatOf('a.json')!.load();
    const schema = loadSchema('shapes/app.json', '{"items": false}', parse);
    const list = parse(`[${'1,'.repeat(29)}1]`);
    const documents = Array.from({ length: 10_000 }, () => (list.fault ? [] : list.documents())).flat();
    const result = contentFaults('a.yaml', '', () => ({ documents: () => documents }), [schema, schema]);
    expect(result.faults).toHaveLength(20);
  });

  it.each([
    ['{"pattern": "(?=a)b"}', 'shapes/app.json:1:13: this pattern is not an RE2 pattern, or is too large'],
    ['{"$ref": "http://example.com/x"}', 'shapes/app.json:1:10: this reference does not resolve within the schema'],
    ['{"$dynamicRef": "#a"}', 'shapes/app.json:1:17: this keyword is not supported'],
    ['{"type": 1}', 'shapes/app.json:1:10: this value is not allowed here in a schema'],
    ['{"$ref": "#"}', 'shapes/app.json: schema and content together are too complex'],
  ])('is ignored with %s', async (schema, why) => {
    expect(await faults('a.json', '"b"', schema)).toEqual({ faults: [], unusable: [why] });
  });

  it('is not delayed by an alias bomb, by nested choices, or by a pattern', async () => {
    const tooComplex = { faults: [], unusable: ['shapes/app.json: schema and content together are too complex'] };
    expect(
      await faults(
        'a.yaml',
        bomb(),
        '{"additionalProperties": {"$ref": "#/$defs/a"}, "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}}',
      ),
    ).toEqual(tooComplex);
    const choices = Array.from(
      { length: 30 },
      (_, index) => `"c${index}": {"anyOf": [${`{"$ref": "#/$defs/c${index + 1}"},`.repeat(2)} false]}`,
    );
    expect(await faults('a.json', '1', `{"$ref": "#/$defs/c0", "$defs": {${choices.join()}, "c30": false}}`)).toEqual(
      tooComplex,
    );
    const slow = await faults('a.json', `["${'a'.repeat(50_000)}!"]`, '{"items": {"pattern": "^(a+)+$"}}');
    expect(slow.faults).toHaveLength(1);
  });

  it.each(['{"uniqueItems": true}', '{"const": ["b"]}', '{"enum": [["b"]]}'])(
    'does not write out a long text that aliases repeat, to compare it by %s',
    async (schema) => {
      const repeated = `a: &a ${'x'.repeat(40_000)}\nb: [${Array.from({ length: 100 }, () => '*a').join()}]`;
      const why = 'shapes/app.json: schema and content together are too complex';
      expect(await faults('a.yaml', repeated, `{"properties": {"b": ${schema}}}`)).toEqual({
        faults: [],
        unusable: [why],
      });
      const long = `b: [${'x'.repeat(60_000)}, ${'x'.repeat(60_000)}]`;
      expect((await faults('a.yaml', long, `{"properties": {"b": ${schema}}}`)).faults).toHaveLength(1);
    },
  );
});
