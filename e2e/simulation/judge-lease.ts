import type { WriteRecord } from '../apiserver/store';
import type { Case } from './case';
import { isEngine } from './engine-user';
import type { Violation } from './judge';
import { isOfWorkload } from './lives';

/**
 * An engine that writes to a workload must hold the Lease at that revision. `opened` contains the history up to just
 * before the write.
 */
export function checkLease({ holder }: Case, write: WriteRecord): readonly Violation[] {
  const { kind, key, user, revision } = write;
  if (!isOfWorkload(write) || !isEngine(user) || user === holder) return [];
  const sentence = `${kind.kind} ${key} at revision ${revision} was written by ${user}, the Lease is ${holder ?? 'not there'}'s`;
  return [{ promise: 'two writers', sentence }];
}
