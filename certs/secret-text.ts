import { objectOf } from '../shared/domain/kubernetes/json-value';

/** The `data` of a Secret, which anyone may have written. */
export type SecretData = Readonly<Record<string, unknown>>;

/** The text under a key of `data`; empty if there is none. */
export function textAt(data: unknown, key: string): string {
  const value = objectOf(data)[key];
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
}

/** `data` with `texts` and those keys of `previous` that are not in `ownKeys`: they belong to others. */
export function dataOf(
  texts: Readonly<Record<string, string>>,
  previous: unknown,
  ownKeys: readonly string[],
): SecretData {
  const foreign = Object.entries(objectOf(previous)).filter(([key]) => !ownKeys.includes(key));
  const own = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')] as const);
  return Object.fromEntries([...foreign, ...own]);
}
