import { decide, type PolicySettings, type PolicySource } from '../policy/policy';
import type { TrackedWorkload } from './tracked-workload';

/** Whether a workload that uses or names a source asks for restarts when it changes. */
export function asksFor(
  { record }: Pick<TrackedWorkload, 'record'>,
  source: PolicySource,
  settings: PolicySettings,
): boolean {
  return decide(record.policy, record.kind, source, settings).restart;
}
