import { attempt, type Target } from '../target';
import { loadSchema } from '../../../shared/domain/content-check/content-faults';
import { parseJsonContent } from '../../../shared/domain/content-check/json-content';
import { SchemaError } from '../../../shared/domain/content-check/schema-values';
import { checkContent, contentMaxMs, cutOff } from '../content';
import { json } from '../samples';

const schema = {
  type: 'object',
  required: ['a'],
  properties: { a: { type: 'integer', minimum: 1, multipleOf: 2 }, b: { $ref: '#/$defs/text' }, c: { enum: [1, 'x'] } },
  patternProperties: { '^x-': { type: 'string', pattern: '^[a-z]+$', maxLength: 5 } },
  additionalProperties: false,
  $defs: { text: { anyOf: [{ const: 'y' }, { type: 'array', items: { $ref: '#' }, uniqueItems: true }] } },
  if: { properties: { a: { const: 2 } } },
  then: { required: ['b'] },
};

/** A schema and, after the first newline, the document that is compared with it. Both come from users. */
export const target: Target = {
  seeds: [
    `${json(schema)}\n${json({ a: 2, b: ['y'], 'x-z': 'abc' })}`,
    `${json({ oneOf: [{ type: 'string' }, { not: { minItems: 2 } }], dependentRequired: { a: ['b'] } })}\n[1,2,"hunter2hunter2"]`,
    '{"$ref":"#"}\n{}',
    'true\n1',
  ],
  dictionary: [
    '"$ref":"#",',
    '"allOf":[',
    '"prefixItems":[',
    '"contains":',
    '"propertyNames":',
    '"$anchor":"a"',
    '"unevaluatedProperties":false',
  ],
  maxMs: contentMaxMs,
  run: (input) => {
    const [schemaText = '', ...lines] = input.toString('utf8').split('\n');
    const loaded = attempt(() => cutOff(() => loadSchema('schemas/s.json', schemaText, parseJsonContent)), SchemaError);
    if (!loaded) return;
    checkContent('a.json', lines.join('\n'), parseJsonContent, [loaded]);
  },
};
