import type { WriteRecord } from '../apiserver/store';
import { isOurs } from './engine-user';
import type { Violation } from './judge';
import type { Incarnation } from './replicas';

/** Every value of a source that users write looks like this, in plain text or as a Secret's base64. */
const values = /(?:value|secret)-\d+-|c2VjcmV0LT[A-Za-z0-9+/]/;

/** Returns a value of a source that the text contains, if there is one. */
export function valueIn(text: string): string | undefined {
  return values.exec(text)?.[0];
}

/** Nothing that Reroll writes may contain a value of a source. */
export function checkLeak({ object, kind, key, revision, user, type }: WriteRecord): readonly Violation[] {
  // Most writes are Leases, which have no field that could contain one.
  if (!isOurs(user) || type === 'DELETED' || kind.kind === 'Lease') return [];
  const value = valueIn(JSON.stringify(object));
  const sentence = `${kind.kind} ${key} at revision ${revision} tells ${value ?? ''}`;
  return value === undefined ? [] : [{ promise: 'leak', sentence }];
}

/** No log line of a process may contain a value of a source, and none of its metrics as long as it is alive. */
export async function checkTold({ process, lines, metrics }: Incarnation): Promise<readonly Violation[]> {
  const counted = process.state === 'dead' ? [] : [await metrics.text()];
  const told = [...counted, ...lines.map((line) => JSON.stringify(line))];
  const values = told.map(valueIn).filter((value) => value !== undefined);
  return values.map((value) => ({ promise: 'leak', sentence: `${process.name} tells ${value}` }));
}
