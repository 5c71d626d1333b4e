import { isWrittenFor, parseBaseline } from '../../shared/domain/baseline/baseline';
import { errorMessage } from '../../shared/domain/errors';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { DigestKeyring } from '../sources/digest-keyring';
import type { ReadBaseline } from './workload-entry';

/** What the baseline on an object says. Never throws: one that cannot be read is a problem to report. */
export function storedBaseline(
  { baselineText, uid }: Pick<WorkloadRecord, 'baselineText' | 'uid'>,
  keys: Pick<DigestKeyring, 'isOwn' | 'isShared'>,
): ReadBaseline {
  if (baselineText === undefined) return { problem: undefined };
  try {
    const baseline = parseBaseline(baselineText);
    // It was copied from another object, or is of an earlier one with this name. It says nothing about these pods.
    if (!isWrittenFor(baseline, uid)) return { problem: undefined };
    if (keys.isOwn(baseline.keyId)) return { baseline, problem: undefined };
    return {
      underOtherKey: true,
      // With a key that only this process has, this is normal at each start.
      problem: keys.isShared
        ? 'it was made with another digest key; it is ignored and written again from the current state'
        : undefined,
    };
  } catch (error) {
    return { problem: errorMessage(error) };
  }
}
