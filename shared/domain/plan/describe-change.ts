import { gateAnnotations } from '../annotations/annotations';
import type { ComparisonReason } from '../baseline/comparison';
import { describeReason } from '../policy/policy';
import { printable } from '../text/printable';
import type { WorkloadRecord } from '../workloads/workload';
import type { Attribution } from './attribution';
import type { Change } from './change';
import type { Verdict } from './verdict';

/** Of one restart, in its Event, its annotation and its history. */
export const maxNamedSources = 20;
/** Further changes whose contents the pods have. */
const maxOtherChanges = 20;
const maxNamedKeys = 20;
const maxNamedUsers = 5;
const maxNamedRemovers = 3;

/** Limit for the name of a user, field manager or key. Anybody can choose the field manager of their own writes. */
const maxNameBytes = 253;
/**
 * Of all keys in an annotation. All annotations of an object together have room for 256 KiB, and the baseline may need most
 * of it: a restart whose annotations do not fit would never be stored.
 */
const maxKeyBytes = 16_384;

const comparisonTexts: Readonly<Record<ComparisonReason, string>> = {
  unchanged: 'the content it uses has not changed',
  'same-parsed': 'its white space, comments or order of keys changed, which do not count (reroll.dev/compare: parsed)',
  'first-seen': 'it is seen for the first time',
  'content-changed': 'content changed',
  'changed-back': 'it was changed back, and pods that started in between may have what it was then',
  'changed-since-birth': 'content changed after the workload started to use it',
  'in-doubt': 'content may have changed after the workload started to use it; restarting once is the safer choice',
  created: 'it was created',
  'created-ignored': 'it was created, and --reload-on-create is off',
  deleted: 'it was deleted',
  'deleted-ignored': 'it was deleted, and --reload-on-delete is off',
};

/** Why the creation of a source restarts nothing. */
export const creationIgnored = 'the source does not exist, and --reload-on-create is off';

const tooManyKeys = ', and it has too many keys to tell which';

/** A sentence about which of these field managers removed an annotation that Reroll wrote. */
export function describeRemovers(removers: readonly string[]): string {
  const named = removers.slice(0, maxNamedRemovers).map((manager) => shownName(JSON.stringify(manager)));
  if (removers.length === 1) return `Field manager ${named.join()} updates it; managedFields names no other`;
  if (removers.length === 0) return 'managedFields does not show which field manager removes it';
  const more = removers.length - named.length;
  return `managedFields does not show which of its field managers removes it: ${named.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
}

/** `deployment shop/web`. */
export function describeWorkload({
  kind,
  namespace,
  name,
}: Pick<WorkloadRecord, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace}/${name}`;
}

/** `ConfigMap app-config: content changed (keys: color, size)`. Names keys, never values. */
export function describeVerdict(verdict: Verdict): string {
  return describeWithKeys(verdict, verdict.comparison?.changedKeys);
}

/** `ConfigMap app-config: content changed (keys: color) by alice (kubectl-edit)`. */
export function describeChange(change: Change): string {
  return describeWithKeys(change, changedKeysOf(change)) + describeAuthors(change.attribution);
}

/** The same with the id of the change, as in the Event: `ConfigMap app-config: … by alice (kubectl-edit) (change 9f3e11aa)`. */
export function describeTracedChange(change: Change): string {
  return `${describeChange(change)} (change ${change.changeId})`;
}

/** If the baseline holds one digest for the whole source, only the webhook knows which keys differ. */
export function changedKeysOf({ comparison, attribution }: Change): readonly string[] | undefined {
  return comparison?.changedKeys ?? attribution?.changedKeys;
}

function describeWithKeys(verdict: Verdict, keys: readonly string[] | undefined): string {
  return `${verdict.kind} ${verdict.name}: ${whyOf(verdict)}${describeKeys(keys)}`;
}

function describeAuthors(attribution: Attribution | undefined): string {
  if (!attribution || attribution.users.length === 0) return '';
  const { users, moreUsers, manager } = attribution;
  const more = moreUsers > 0 ? ` and ${String(moreUsers)} more` : '';
  return ` by ${users.map(shownName).join(', ')}${more}${manager === undefined ? '' : ` (${shownName(manager)})`}`;
}

/** `content changed`: what happened to a source from a workload's point of view, and why. */
export function whyOf(verdict: Verdict): string {
  const { decision, comparison, kind, exists, filtered, tooManyKeys: areAllCounted } = verdict;
  if (comparison && kind === 'SecretProviderClass' && !exists) return 'no rotation of its secrets has been seen';
  if (comparison?.because === 'unchanged' && filtered && !areAllCounted) {
    return `the keys that ${gateAnnotations.keys} on the ${filtered.on} lets count have not changed (${filtered.filter.text})`;
  }
  if (comparison) return comparisonTexts[comparison.because] + (comparison.tooManyKeys ? tooManyKeys : '');
  return decision === 'not-watched' ? 'its kind is not watched' : describeReason(decision);
}

/** One sentence for an Event, cut to a readable length. */
export function describeChanges(changes: readonly Change[]): string {
  const named = changes.slice(0, maxNamedSources).map(describeTracedChange);
  const more = changes.length - named.length;
  return named.join('; ') + (more > 0 ? `; and ${String(more)} more` : '');
}

function describeKeys(keys: readonly string[] | undefined): string {
  if (keys === undefined || keys.length === 0) return '';
  const more = keys.length - maxNamedKeys;
  return ` (keys: ${keys.slice(0, maxNamedKeys).map(shownName).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''})`;
}

/**
 * The annotation `reroll.dev/last-restart`: compact JSON that names the sources of the last restart, the ids of their
 * changes (`changes`; `more`: those of sources that are not named; `also`: those that an earlier restart answered) and,
 * where known, the users whose changes it answers (`by`; `byMore` counts the rest). A source whose changed keys are
 * unknown, or of which none fits, has the value `null`. Sources that were created or deleted are also in `created` or `deleted`. With
 * `isLeftToNextRun` the restart is still to come: `"effect":"next-run"`.
 */
export function lastRestartAnnotation(
  restartId: string,
  nowMs: number,
  changes: readonly Change[],
  {
    isLeftToNextRun = false,
    earlierChangeIds = [],
  }: { isLeftToNextRun?: boolean; earlierChangeIds?: readonly string[] } = {},
): string {
  const named = changes.slice(0, maxNamedSources);
  const { by, byMore } = namedAuthors(named);
  const further = changes.slice(maxNamedSources, maxNamedSources + maxOtherChanges).map(({ changeId }) => changeId);
  const also = earlierChangeIds.slice(0, maxOtherChanges);
  return JSON.stringify({
    at: new Date(nowMs).toISOString(),
    id: restartId,
    // Before the keys, which may be many and long: only the beginning of a long annotation is read.
    ...(named.length > 0 && { changes: Object.fromEntries(named.map((change) => [change.id, change.changeId])) }),
    ...(further.length > 0 && { more: further }),
    ...(also.length > 0 && { also }),
    ...(by.length > 0 && { by }),
    ...(byMore > 0 && { byMore }),
    sources: namedKeys(named),
    ...idsBecause(named, 'created'),
    ...idsBecause(named, 'deleted'),
    ...(isLeftToNextRun && { effect: 'next-run' }),
  });
}

/** The changed keys of each source, by its id, as far as there is room; `null`: they are not known, or none fits. */
function namedKeys(changes: readonly Change[]): Readonly<Record<string, readonly string[] | null>> {
  let leftBytes = maxKeyBytes;
  const fits = (key: string): boolean => {
    leftBytes -= Buffer.byteLength(key);
    return leftBytes >= 0;
  };
  const keysOf = (change: Change): readonly string[] | null => {
    const keys = changedKeysOf(change)?.slice(0, maxNamedKeys).map(shownName) ?? null;
    if (keys === null || keys.length === 0) return keys;
    const fitting = keys.filter(fits);
    return fitting.length > 0 ? fitting : null;
  };
  return Object.fromEntries(changes.map((change) => [change.id, keysOf(change)]));
}

function idsBecause(changes: readonly Change[], because: 'created' | 'deleted'): Readonly<Record<string, string[]>> {
  const ids = changes.filter(({ comparison }) => comparison?.because === because).map(({ id }) => id);
  return ids.length > 0 ? { [because]: ids } : {};
}

/** Each user once, in the order of the sources, and the number of further users. */
export function authorsOf(changes: readonly Change[]): { readonly users: readonly string[]; readonly more: number } {
  const known = changes.flatMap(({ attribution }) => attribution ?? []);
  const more = known.reduce((sum, { moreUsers }) => sum + moreUsers, 0);
  return { users: [...new Set(known.flatMap(({ users }) => users))], more };
}

/** A few users. The first author of each source is always among them. */
function namedAuthors(changes: readonly Change[]): { readonly by: readonly string[]; readonly byMore: number } {
  const { users, more } = authorsOf(changes);
  const firsts = new Set(changes.flatMap(({ attribution }) => attribution?.firstUser ?? []));
  const others = users.filter((user) => !firsts.has(user)).slice(0, Math.max(0, maxNamedUsers - firsts.size));
  const by = users.filter((user) => firsts.has(user) || others.includes(user));
  return { by: by.map(shownName), byMore: more + users.length - by.length };
}

/** Escaped here and not only by JSON: programs that parse the annotation print the names. */
export function shownName(name: string): string {
  return printable(name, maxNameBytes);
}
