import type { DocumentNode, ScalarNode } from './document-node';
import type { KeywordPlace, SchemaRun } from './json-schema';
import { countOf, divisorOf, listOfSchemas, numberOf, textsOf, typesOf } from './schema-values';

/** A keyword that checks one value and not the values in it. */
export interface Assertion {
  /** Completes "config.json:3:7: …". */
  readonly reason: string;
  holds(place: KeywordPlace, run: SchemaRun): boolean;
}

/** Keywords by name. A keyword for another type than the value's always holds. */
export const assertions: Readonly<Record<string, Assertion>> = {
  type: {
    reason: 'the type is not one that the schema allows',
    holds: ({ node, value }) => typesOf(value).some((type) => isOfType(node, type)),
  },
  enum: {
    reason: 'the value is not one that the schema lists',
    holds: ({ node, value }, run) => listOfSchemas(value).some((each) => isEqual(node, each, run)),
  },
  const: {
    reason: 'the value is not the one that the schema requires',
    holds: ({ node, value }, run) => isEqual(node, value, run),
  },
  multipleOf: {
    reason: 'the number is not a multiple of the one in the schema',
    holds: ofNumber(isMultiple, divisorOf),
  },
  maximum: {
    reason: 'the number is larger than the schema allows',
    holds: (place, run) =>
      ofNumber((number, limit) => (isTrueBeside(place, 'exclusiveMaximum') ? number < limit : number <= limit))(
        place,
        run,
      ),
  },
  minimum: {
    reason: 'the number is smaller than the schema allows',
    holds: (place, run) =>
      ofNumber((number, limit) => (isTrueBeside(place, 'exclusiveMinimum') ? number > limit : number >= limit))(
        place,
        run,
      ),
  },
  exclusiveMaximum: {
    reason: 'the number is larger than the schema allows',
    holds: (place, run) => isBoolean(place.value) || ofNumber((number, limit) => number < limit)(place, run),
  },
  exclusiveMinimum: {
    reason: 'the number is smaller than the schema allows',
    holds: (place, run) => isBoolean(place.value) || ofNumber((number, limit) => number > limit)(place, run),
  },
  maxLength: {
    reason: 'the text is longer than the schema allows',
    holds: ofLength((length, limit) => length <= limit),
  },
  minLength: {
    reason: 'the text is shorter than the schema allows',
    holds: ofLength((length, limit) => length >= limit),
  },
  pattern: {
    reason: 'the text does not match the pattern of the schema',
    holds: ({ node, value }, run) => {
      const text = node.kind === 'scalar' ? node.value : undefined;
      return typeof text !== 'string' || run.matches(value, text, value.offset);
    },
  },
  maxItems: {
    reason: 'the list is longer than the schema allows',
    holds: ({ node, value }) => node.kind !== 'list' || node.items.length <= countOf(value),
  },
  minItems: {
    reason: 'the list is shorter than the schema allows',
    holds: ({ node, value }) => node.kind !== 'list' || node.items.length >= countOf(value),
  },
  uniqueItems: {
    reason: 'the list has an item twice, which the schema does not allow',
    holds: ({ node, value }, run) => {
      if (node.kind !== 'list' || value.kind !== 'scalar' || value.value !== true) return true;
      return new Set(node.items.map((item) => canonical(item, run))).size === node.items.length;
    },
  },
  maxProperties: {
    reason: 'there are more properties than the schema allows',
    holds: ({ node, value }) => node.kind !== 'map' || node.entries.size <= countOf(value),
  },
  minProperties: {
    reason: 'there are fewer properties than the schema requires',
    holds: ({ node, value }) => node.kind !== 'map' || node.entries.size >= countOf(value),
  },
  required: {
    reason: 'a property that the schema requires is missing',
    // In draft 3 it was a boolean.
    holds: ({ node, value }) =>
      node.kind !== 'map' || isBoolean(value) || textsOf(value).every((name) => node.entries.has(name)),
  },
};

type Holds = Assertion['holds'];

function ofNumber(holds: (number: number, limit: number) => boolean, limitOf = numberOf): Holds {
  return ({ node, value }) => {
    const number = node.kind === 'scalar' ? node.value : undefined;
    return typeof number !== 'number' || holds(number, limitOf(value));
  };
}

/** Of fractions such as 0.01, a quotient is only as exact as its digits: the larger it is, the further off it may be. */
function isMultiple(number: number, divisor: number): boolean {
  if (Number.isInteger(number) && Number.isInteger(divisor)) return number % divisor === 0;
  const quotient = number / divisor;
  return Math.abs(quotient - Math.round(quotient)) <= Math.max(1e-9, 2 * Number.EPSILON * Math.abs(quotient));
}

/** Lengths are in Unicode characters. */
function ofLength(holds: (length: number, limit: number) => boolean): Holds {
  return ({ node, value }) => {
    const text = node.kind === 'scalar' ? node.value : undefined;
    return typeof text !== 'string' || holds(characters(text), countOf(value));
  };
}

/** Counts a surrogate pair as one character. */
function characters(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

/** In draft 4, a boolean beside `maximum` makes it exclusive. */
function isTrueBeside({ schema }: KeywordPlace, keyword: string): boolean {
  const beside = schema.entries.get(keyword)?.value;
  return beside?.kind === 'scalar' && beside.value === true;
}

function isBoolean(node: DocumentNode): boolean {
  return node.kind === 'scalar' && typeof node.value === 'boolean';
}

function isOfType(node: DocumentNode, type: string): boolean {
  if (node.kind !== 'scalar') return type === (node.kind === 'map' ? 'object' : 'array');
  if (node.value === null) return type === 'null';
  return type === 'integer' ? Number.isInteger(node.value) : type === typeof node.value;
}

function isEqual(left: DocumentNode, right: DocumentNode, run: SchemaRun): boolean {
  if (left.kind === 'scalar' || right.kind === 'scalar') {
    run.step();
    return left.kind === 'scalar' && right.kind === 'scalar' && left.value === right.value;
  }
  return canonical(left, run) === canonical(right, run);
}

/** Equal values give the same text, whatever the order of their properties. */
function canonical(node: DocumentNode, run: SchemaRun): string {
  run.step();
  if (node.kind === 'scalar') return quoted(node.value, run);
  if (node.kind === 'list') return `[${node.items.map((item) => canonical(item, run)).join(',')}]`;
  const properties = [...node.entries].map(([key, { value }]) => `${quoted(key, run)}:${canonical(value, run)}`);
  return `{${properties.sort().join(',')}}`;
}

/** Counts the length: aliases may repeat a long text a thousand times, and here it is written out each time. */
function quoted(value: ScalarNode['value'], run: SchemaRun): string {
  // JSON has no infinity, and would make it null.
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
  run.stepText(text);
  return text;
}
