import { describe, expect, it } from '@jest/globals';
import { parseJsonContent } from './json-content';
import { schemaViolations } from './json-schema';
import type { DocumentNode } from './document-node';

function tree(value: unknown): DocumentNode {
  const parsed = parseJsonContent(JSON.stringify(value));
  return parsed.fault ? tree(null) : parsed.documents()[0]!;
}

/** Each keyword with values that it allows, and values that it rejects. */
const rows: readonly (readonly [schema: unknown, allowed: readonly unknown[], refused: readonly unknown[]])[] = [
  [true, [1, {}], []],
  [false, [], [1, null]],
  [{}, [1, null], []],
  [{ type: 'integer' }, [1, 1.0, -3], [1.5, '1', null, true]],
  [{ type: 'number' }, [1, 1.5], ['1']],
  [{ type: ['string', 'null'] }, ['', null], [0, [], {}]],
  [{ type: 'object' }, [{}], [[], null]],
  [{ type: 'array' }, [[]], [{}]],
  [{ type: 'boolean' }, [true, false], [0, 'true']],
  [{ enum: ['a', 1, { b: [1], c: 2 }] }, ['a', 1, { c: 2, b: [1] }], ['b', '1', { b: [1] }, null]],
  [{ const: [1, { a: null }] }, [[1, { a: null }]], [[1], null]],
  [{ multipleOf: 0.1 }, [0.3, 2, 'x'], [0.25]],
  [{ multipleOf: 0.01 }, [1_234_567.89, -10_000_000.07, 123_456_789_012.34], [1_234_567.895, 123_456_789_012.345]],
  [{ multipleOf: 2 }, [0, -4, 2 ** 53], [2 ** 53 - 1, 0.5]],
  [{ maximum: 3 }, [3, -1, '9'], [3.1]],
  [{ minimum: 3 }, [3], [2.9]],
  [{ exclusiveMaximum: 3 }, [2.9], [3]],
  [{ exclusiveMinimum: 3 }, [3.1], [3]],
  [{ maximum: 3, exclusiveMaximum: true }, [2.9], [3]],
  [{ minimum: 3, exclusiveMinimum: true }, [3.1], [3]],
  [{ minimum: 3, exclusiveMinimum: false }, [3], [2]],
  [{ maxLength: 2 }, ['ab', '😀😀', 123], ['abc']],
  [{ minLength: 2 }, ['ab', []], ['a', '😀']],
  [{ pattern: 'b+' }, ['abc', 5], ['ac']],
  [{ pattern: '^\\d{2,3}\\/\\u0061$' }, ['12/a'], ['1/a', '1234/a']],
  [{ maxItems: 1 }, [[1], 'ab'], [[1, 2]]],
  [{ minItems: 1 }, [[1]], [[]]],
  [
    { uniqueItems: true },
    [[1, '1', { a: 1, b: 2 }], 'aa'],
    [
      [1, 1],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
  ],
  [{ uniqueItems: false }, [[1, 1]], []],
  [{ maxProperties: 1 }, [{ a: 1 }], [{ a: 1, b: 2 }]],
  [{ minProperties: 1 }, [{ a: 1 }, []], [{}]],
  [{ required: ['a', 'constructor'] }, [{ a: 1, constructor: 2 }, 'x'], [{ a: 1 }, {}]],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1], [0, 3]],
  [{ anyOf: [{ minimum: 5 }, { type: 'string' }] }, [6, 'a'], [1]],
  [{ oneOf: [{ minimum: 5 }, { multipleOf: 2 }] }, [5, 2], [6, 3]],
  [{ not: { type: 'string' } }, [1], ['a']],
  [{ if: { type: 'string' }, then: { minLength: 2 }, else: { minimum: 2 } }, ['ab', 2, null], ['a', 1]],
  [{ if: false, then: false }, [1], []],
  [{ properties: { a: { type: 'string' } } }, [{ a: 'x', b: 1 }, {}, []], [{ a: 1 }]],
  [{ patternProperties: { '^x-': { type: 'string' } } }, [{ 'x-a': '1', y: 2 }], [{ 'x-a': 1 }]],
  [
    { properties: { a: {} }, patternProperties: { '^x-': {} }, additionalProperties: false },
    [{ a: 1, 'x-b': 2 }],
    [{ c: 3 }, { constructor: 1 }],
  ],
  [{ additionalProperties: { type: 'number' } }, [{ a: 1 }], [{ a: '1' }]],
  [{ propertyNames: { maxLength: 1 } }, [{ a: 1 }], [{ ab: 1 }]],
  [{ dependentRequired: { a: ['b'] } }, [{ a: 1, b: 2 }, { c: 1 }], [{ a: 1 }]],
  [{ dependentSchemas: { a: { maxProperties: 1 } } }, [{ a: 1 }, { b: 1, c: 1 }], [{ a: 1, b: 1 }]],
  [{ dependencies: { a: ['b'], c: { minProperties: 2 } } }, [{ a: 1, b: 1 }], [{ a: 1 }, { c: 1 }]],
  [{ items: { type: 'string' } }, [['a'], [], 'x'], [[1], ['a', 1]]],
  [{ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, [['a', 1], ['a'], []], [['a', 'b'], [1]]],
  [{ items: [{ type: 'string' }], additionalItems: false }, [['a']], [['a', 1], [1]]],
  [{ additionalItems: false }, [[1, 2]], []],
  [{ contains: { const: 1 } }, [[0, 1], 'x'], [[], [0]]],
  [{ contains: { const: 1 }, minContains: 0, maxContains: 1 }, [[], [1]], [[1, 1]]],
  [{ $ref: '#/$defs/a%20b~1c', $defs: { 'a b/c': { type: 'string' } } }, ['x'], [1]],
  [{ $id: 'http://a/b#', $ref: 'http://a/b#/definitions/0', definitions: [{ const: 1 }] }, [1], [2]],
  [{ $ref: '#one', $defs: { x: { $anchor: 'one', const: 1 } } }, [1], [2]],
  [
    { properties: { next: { $ref: '#' } }, required: ['value'] },
    [{ value: 1, next: { value: 2 } }],
    [{ value: 1, next: {} }],
  ],
  [{ format: 'email', title: 'x', $comment: 'y', 'x-own': 1, default: 3, constructor: 1 }, ['no mail'], []],
];

describe('schemaViolations', () => {
  it.each(rows)('%j allows %j, and rejects %j', (schema, allowed, refused) => {
    const violations = (value: unknown) => schemaViolations(tree(value), tree(schema));
    expect(allowed.filter((value) => violations(value).length > 0)).toEqual([]);
    expect(refused.filter((value) => violations(value).length === 0)).toEqual([]);
  });

  it.each([
    ['$dynamicRef', { $dynamicRef: '#a' }],
    ['$recursiveRef', { $recursiveRef: '#' }],
    ['unevaluatedProperties', { unevaluatedProperties: false }],
    ['unevaluatedItems', { unevaluatedItems: false }],
    ['a reference to nothing', { $ref: '#/a/b' }],
    ['a reference into a text', { $ref: '#/a/b', a: 'c' }],
    ['an unknown anchor', { $ref: '#a' }],
    ['a reference elsewhere', { $ref: 'other.json' }],
    ['a pattern with look-behind', { pattern: '(?<=a)b' }],
    ['a pattern that is too large', { pattern: '(a{1,1000}){1,1000}' }],
    ['patterns that are too large together', { allOf: [1, 2, 3].map((n) => ({ pattern: `(aaaaa|bbbb${n}){0,600}` })) }],
    ['an invalid pattern of properties', { patternProperties: { '(': {} } }],
    ['a schema that is a text', 'object'],
    ['enum without a list', { enum: 'a' }],
    ['a type that does not exist', { type: 'str' }],
    ['one among others', { type: ['string', 'object', 'any'] }],
    ['a negative length', { maxLength: -1 }],
    ['a negative number of properties', { maxProperties: -1 }],
    ['half a character', { maxLength: 1.5 }],
    ['multiples of zero', { multipleOf: 0 }],
    ['properties without a map', { properties: [] }],
    ['an endlessly recursive schema', { allOf: [{ $ref: '#' }] }],
  ])('cannot use %s', (_what, schema) => {
    const compare = () => ['b', 1, { b: 'b' }].map((value) => schemaViolations(tree(value), tree(schema)));
    expect(compare).toThrow(expect.objectContaining({ name: 'SchemaError' }));
  });
});
