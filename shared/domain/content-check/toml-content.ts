import { parse, TomlDate, TomlError } from 'smol-toml';
import { errorMessage } from '../errors';
import { type ContentParser, type DocumentNode, type MapEntry, maxNesting, NestingError } from './document-node';
import { offsetAt } from './text-position';
import { tomlKeyOffsets, type TomlKeyOffsets } from './toml-key-offsets';

/** Keyed by the beginning of the library's message. The rest of a message quotes the text. */
const reasons: readonly (readonly [message: string, reason: string])[] = [
  ['trying to redefine', 'this is defined twice'],
  ['control characters', 'a string or comment is not closed, or has a control character'],
  ['each key-value declaration', 'a line can have one key and its value'],
  ['expected comma', 'a comma or the closing bracket is missing'],
  ['expected end of table array', 'the closing brackets of the table are missing'],
  ['illegal character in key', 'a key needs an equals sign, and quotes if it has other characters'],
  ['illegal empty bare key', 'a key is missing'],
  ['illegal quoted key', 'a key cannot be a multi-line string'],
  ['incomplete key-value', 'a key has no equals sign'],
  ['unexpected end of key', 'a key is not complete'],
  ['illegal leading zero', 'a number cannot begin with a zero'],
  ['illegal underscore', 'an underscore must be between two digits'],
  ['illegal character in numeric', 'this is not a number'],
  ['unfinished numeric', 'a number is not complete'],
  ['invalid date', 'this is not a date or time'],
  ['invalid escape', 'this is not an escape sequence'],
  ['invalid non-hex', 'a unicode escape needs hexadecimal digits'],
  ['invalid unicode escape', 'this is not a Unicode character'],
  ['unrecognised escape', 'this is not an escape sequence'],
  ['invalid value', 'this is not a value: a text needs quotes'],
  ['unfinished array', 'an array is not closed'],
  ['unfinished string', 'a string is not closed'],
  ['unfinished table', 'a table is not closed'],
];

/** Limits of the library rather than faults in the text. */
const [tooDeep, unsafe] = ['document contains excessively nested', 'document contains an unsafe property'] as const;

const messagePrefix = 'Invalid TOML document: ';

/** TOML 1.0. The library reports the position of an error, but not of values: those are looked up by key. */
export const parseTomlContent: ContentParser = (text) => {
  let root: unknown;
  try {
    root = parse(text, { integersAsBigInt: 'asNeeded', maxDepth: maxNesting });
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const message = errorMessage(thrown).slice(messagePrefix.length);
    if (message.startsWith(tooDeep)) throw new NestingError();
    if (message.startsWith(unsafe)) throw thrown;
    const reason = reasons.find(([known]) => message.startsWith(known))?.[1] ?? 'this is not TOML';
    return { fault: { offset: offsetAt(text, thrown), reason } };
  }
  return { documents: () => [documentNode(root, [], tomlKeyOffsets(text), 0)] };
};

/** `offset` is the position of the nearest enclosing key. */
function documentNode(
  value: unknown,
  path: readonly (string | number)[],
  offsets: TomlKeyOffsets,
  offset: number,
): DocumentNode {
  if (Array.isArray(value)) {
    const items = (value as readonly unknown[]).map((item, index) => {
      const itemPath = [...path, index];
      return documentNode(item, itemPath, offsets, offsets.at(itemPath) ?? offset);
    });
    return { kind: 'list', offset, items };
  }
  if (typeof value === 'object' && value !== null && !(value instanceof TomlDate)) {
    const entries = Object.entries(value).map(([key, field]): [string, MapEntry] => {
      const keyPath = [...path, key];
      const keyOffset = offsets.at(keyPath) ?? offset;
      return [key, { keyOffset, value: documentNode(field, keyPath, offsets, keyOffset) }];
    });
    return { kind: 'map', offset, entries: new Map(entries) };
  }
  return { kind: 'scalar', offset, value: scalarValue(value) };
}

function scalarValue(value: unknown): string | number | boolean {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  // For a schema, a date is a string and a large integer is a number.
  return value instanceof TomlDate ? value.toISOString() : Number(value);
}
