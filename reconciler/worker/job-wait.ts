import { assertNever } from '../../shared/domain/errors';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { JobJournal } from '../apply/job-journal';
import type { LookResult } from './unfinished-looks';

/** A Job is recreated within moments of the deletion of its predecessor. */
const busyJobMs = 1_000;

/** What the journal keeps a workload waiting for; undefined: nothing. Of other kinds than Jobs it knows none. */
export function jobWait(journal: Pick<JobJournal, 'standing'>, record: WorkloadRecord): LookResult | undefined {
  if (record.kind !== 'Job') return undefined;
  const standing = journal.standing(record);
  switch (standing) {
    case 'free':
      return undefined;
    case 'under-way':
      return { kind: 'done', waitsFor: 'job' };
    // The failed attempt is not over: an entry that it may have stored is looked for and removed first.
    case 'in-doubt':
      return { kind: 'failed' };
    case 'busy':
      return { kind: 'again', afterMs: busyJobMs, waitsFor: 'earlier-job' };
    default:
      return assertNever(standing, 'standing');
  }
}
