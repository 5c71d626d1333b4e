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

/**
 * Those of the users of a source that ask for restarts when it changes. All of them if the source is not there: its
 * annotations are not known.
 */
export function askingUsers<User extends Pick<TrackedWorkload, 'record'>>(
  users: readonly User[],
  source: PolicySource | undefined,
  settings: PolicySettings,
): readonly User[] {
  return source ? users.filter((user) => asksFor(user, source, settings)) : users;
}
