import type { WriteRecord } from '../apiserver/store';
import { isEngine, type Violation } from './judge';

/** Every value of a source that users write looks like this, in plain text or as a Secret's base64. */
const values = /(?:value|secret)-\d+-|c2VjcmV0L[A-Za-z0-9+/]/;

/** A value of a source in a text, if there is one. */
export function valueIn(text: string): string | undefined {
  return values.exec(text)?.[0];
}

/** Nothing that an engine writes holds a value of a source. */
export function checkLeaks(history: readonly WriteRecord[]): readonly Violation[] {
  return history
    .filter(({ user, type }) => isEngine(user) && type !== 'DELETED')
    .flatMap(({ object, kind, key, revision }): readonly Violation[] => {
      const value = valueIn(JSON.stringify(object));
      const sentence = `${kind.kind} ${key} at revision ${revision} tells ${value ?? ''}`;
      return value === undefined ? [] : [{ promise: 'leak', sentence }];
    });
}
