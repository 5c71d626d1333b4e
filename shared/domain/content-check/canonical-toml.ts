import { parse, TomlDate } from 'smol-toml';
import { canonicalMap, NoCanonicalFormError, type CanonicalForm } from './canonical-form';
import { maxNesting } from './document-node';

/** Integers and floats differ, as for all readers of TOML. */
export const canonicalToml: CanonicalForm = (text) =>
  canonicalValue(parse(text, { integersAsBigInt: true, maxDepth: maxNesting }));

function canonicalValue(value: unknown): string {
  if (Array.isArray(value)) return `[${(value as readonly unknown[]).map(canonicalValue).join(',')}]`;
  // The library keeps milliseconds of a time, and others read more of it.
  if (value instanceof TomlDate) throw new NoCanonicalFormError('it has a date or a time');
  switch (typeof value) {
    case 'object':
      return canonicalMap(
        Object.entries(value ?? {}).map(([key, field]) => [JSON.stringify(key), canonicalValue(field)]),
      );
    case 'string':
      return JSON.stringify(value);
    case 'bigint':
      return `integer ${value}`;
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    default:
      return String(value);
  }
}
