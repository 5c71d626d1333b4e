import { gateAnnotations } from '../../shared/domain/annotations/annotations';
import type { ComparisonReason } from '../../shared/domain/baseline/comparison';
import type { GateName } from '../../shared/domain/gate-settings/gate-names';
import { countedKeys } from '../../shared/domain/sources/counted-keys';
import type { SourceRef } from '../../shared/domain/sources/source';
import { filterOf } from '../evidence/account';
import type { SourceUsers } from '../users/read-users';
import { compareKeys, type SourceChange } from './source-change';

/** A workload that uses a source, and the rule by which the source counts for it or not. */
export type User = SourceUsers['users'][number];

/** What one change does to one workload. */
export interface Effect extends Omit<User, 'kind' | 'name' | 'restarts'> {
  readonly source: SourceRef;
  /** The changed keys that it uses. */
  readonly changedKeys: readonly string[];
  readonly restarts: boolean;
}

/** The flags that decide whether a creation or deletion counts. */
export interface AppearanceSettings {
  readonly reloadOnCreate: boolean;
  readonly reloadOnDelete: boolean;
}

/** What a change does to a workload that uses its source. */
export function effectOf(user: User, change: SourceChange, settings: AppearanceSettings): Effect {
  const { decision, rule, keys, moreKeys, counted, compare, restarts: counts, deferred } = user;
  const { source } = change;
  const decided = {
    ...{ decision, keys, source },
    ...(rule !== undefined && { rule }),
    ...(moreKeys !== undefined && { moreKeys }),
    ...(counted && { counted }),
    ...(compare !== undefined && { compare }),
  };
  if (!counts) return { ...decided, why: user.why, changedKeys: [], restarts: false };
  // The leader names some of many keys. Then any of them may be used.
  const used = typeof keys === 'string' || moreKeys !== undefined ? 'all' : keys;
  const {
    restart: restarts,
    because,
    changedKeys = [],
  } = compareKeys(change, countedKeys(used, filterOf(counted)), settings);
  const why =
    change.missingRight !== undefined && restarts
      ? `what it uses counts as changed: ${change.missingRight}`
      : because === 'unchanged' && counted
        ? `no key changes that counts (${gateAnnotations.keys} on the ${counted.on}: ${counted.keys})`
        : phrases[because];
  return { ...decided, why, changedKeys, restarts, ...(restarts && deferred && { deferred }) };
}

/** An effect of which is not known who restarts before it. */
export function withoutTurn(effect: Effect): Effect {
  const { deferred, ...others } = effect;
  return deferred && turns.has(deferred.gate) ? others : effect;
}

/** Gates that wait for other workloads. */
const turns: ReadonlySet<string> = new Set<GateName>(['order', 'stages']);

const changes = 'what it uses changes';

const phrases: Readonly<Record<ComparisonReason, string>> = {
  unchanged: 'what it uses does not change',
  'same-parsed': 'only white space, comments or the order of keys changes (reroll.dev/compare: parsed)',
  'content-changed': changes,
  created: 'the source is new',
  'created-ignored': 'the source is new, and --reload-on-create is off',
  deleted: 'the source is deleted',
  'deleted-ignored': 'the source is deleted, and --reload-on-delete is off',
  // Comparisons with an unknown past have these results, and here the past is known.
  ...{ 'first-seen': changes, 'changed-since-birth': changes, 'in-doubt': changes, 'changed-back': changes },
};
