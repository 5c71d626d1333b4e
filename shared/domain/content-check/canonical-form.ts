import { RerollError } from '../errors';

/**
 * A text that is the same for all texts of a format that differ only in white space, comments or the order of keys.
 *
 * @throws NoCanonicalFormError, and whatever the parser throws
 */
export type CanonicalForm = (text: string) => string;

/** The text is not of the format, or means more than its canonical form would show. */
export class NoCanonicalFormError extends RerollError {
  constructor(why: string) {
    super(`no canonical form: ${why}`, { code: 'NO_CANONICAL_FORM' });
  }
}

/** Entries in one order. A key that appears twice has another meaning for each reader. */
export function canonicalMap(entries: readonly (readonly [key: string, value: string])[]): string {
  if (new Set(entries.map(([key]) => key)).size < entries.length) throw new NoCanonicalFormError('a key appears twice');
  const lines = entries.map(([key, value]) => `${key}:${value}`);
  return `{${lines.sort().join(',')}}`;
}
