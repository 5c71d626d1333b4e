import type { WriteRecord } from '../apiserver/store';
import type { Case } from './case';
import { isEngine } from './engine-user';
import type { Violation } from './judge';

const written = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job']);

/** Who writes to a workload holds the Lease at that revision. `opened` has come to just before the write. */
export function checkLease({ holder }: Case, { kind, key, user, revision }: WriteRecord): readonly Violation[] {
  if (!written.has(kind.kind) || !isEngine(user) || user === holder) return [];
  const sentence = `${kind.kind} ${key} at revision ${revision} was written by ${user}, the Lease is ${holder ?? 'not there'}'s`;
  return [{ promise: 'two writers', sentence }];
}
