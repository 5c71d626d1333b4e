import type { ComparisonReason } from '../baseline/comparison';
import { describeReason } from '../policy/policy';
import { printable } from '../text/printable';
import type { WorkloadRecord } from '../workloads/workload';
import type { Attribution } from './attribution';
import type { Change } from './change';
import type { Verdict } from './verdict';

const maxNamedSources = 20;
const maxNamedKeys = 20;
const maxNamedUsers = 5;
const maxNamedRemovers = 3;

/** Of the name of a user, a field manager or a key. Anybody chooses the field manager of their own writes. */
const maxNameBytes = 253;

const comparisonTexts: Readonly<Record<ComparisonReason, string>> = {
  unchanged: 'what it uses of it has not changed',
  'first-seen': 'it is seen for the first time',
  'content-changed': 'content changed',
  'changed-since-birth': 'content changed after the workload came to use it',
  'in-doubt': 'content may have changed after the workload came to use it, and restarting once is the safe side',
  created: 'it was created',
  'created-ignored': 'it was created, and --reload-on-create is off',
  deleted: 'it was deleted',
  'deleted-ignored': 'it is deleted, and --reload-on-delete is off',
};

const tooManyKeys = ', and it has too many keys to tell which';

/** A sentence on who has removed what is ours, of the field managers that may have. */
export function describeRemovers(removers: readonly string[]): string {
  const named = removers.slice(0, maxNamedRemovers).map((manager) => shown(JSON.stringify(manager)));
  if (removers.length === 1) return `Field manager ${named.join()} updates it, and no other that managedFields tell of`;
  if (removers.length === 0) return 'Who does it managedFields do not tell';
  const more = removers.length - named.length;
  return `Which of its field managers does it managedFields do not tell: ${named.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
}

/** `deployment shop/web`: as a person names it. */
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

/** A baseline may hold one digest for the whole; then the webhook alone can tell which keys differ. */
function changedKeysOf({ comparison, attribution }: Change): readonly string[] | undefined {
  return comparison?.changedKeys ?? attribution?.changedKeys;
}

function describeWithKeys(verdict: Verdict, keys: readonly string[] | undefined): string {
  return `${verdict.kind} ${verdict.name}: ${whyOf(verdict)}${describeKeys(keys)}`;
}

function describeAuthors(attribution: Attribution | undefined): string {
  if (!attribution || attribution.users.length === 0) return '';
  const { users, moreUsers, manager } = attribution;
  const more = moreUsers > 0 ? ` and ${String(moreUsers)} more` : '';
  return ` by ${users.map(shown).join(', ')}${more}${manager === undefined ? '' : ` (${shown(manager)})`}`;
}

/** `content changed`: what became of a source for a workload, and why. */
export function whyOf({ decision, comparison }: Verdict): string {
  if (comparison) return comparisonTexts[comparison.because] + (comparison.tooManyKeys ? tooManyKeys : '');
  return decision === 'not-watched' ? 'its kind is not watched' : describeReason(decision);
}

/** One sentence for an Event; cut to what a person reads. */
export function describeChanges(changes: readonly Change[]): string {
  const named = changes.slice(0, maxNamedSources).map(describeChange);
  const more = changes.length - named.length;
  return named.join('; ') + (more > 0 ? `; and ${String(more)} more` : '');
}

function describeKeys(keys: readonly string[] | undefined): string {
  if (keys === undefined || keys.length === 0) return '';
  const more = keys.length - maxNamedKeys;
  return ` (keys: ${keys.slice(0, maxNamedKeys).map(shown).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''})`;
}

/**
 * The annotation `reroll.dev/last-restart`: compact JSON that tells what the last restart was for, by name, and whose
 * changes it answers, where that is known (`by`, and `byMore` for how many more there were). Sources whose changed keys are not known stand with `null`. With
 * `isLeftToNextRun` it tells of a restart that is yet to come: `"effect":"next-run"`.
 */
export function lastRestartAnnotation(
  restartId: string,
  nowMs: number,
  changes: readonly Change[],
  { isLeftToNextRun = false } = {},
): string {
  const named = changes.slice(0, maxNamedSources);
  const sources = named.map(
    (change) => [change.id, changedKeysOf(change)?.slice(0, maxNamedKeys).map(shown) ?? null] as const,
  );
  const { by, byMore } = namedAuthors(named);
  return JSON.stringify({
    at: new Date(nowMs).toISOString(),
    id: restartId,
    sources: Object.fromEntries(sources),
    ...(by.length > 0 && { by }),
    ...(byMore > 0 && { byMore }),
    ...(isLeftToNextRun && { effect: 'next-run' }),
  });
}

/** Each user once, those of the first source first; and how many there were beside them. */
export function authorsOf(changes: readonly Change[]): { readonly users: readonly string[]; readonly more: number } {
  const known = changes.flatMap(({ attribution }) => attribution ?? []);
  const more = known.reduce((sum, { moreUsers }) => sum + moreUsers, 0);
  return { users: [...new Set(known.flatMap(({ users }) => users))], more };
}

/** A few; the first author of each source is one of them, whoever came after. */
function namedAuthors(changes: readonly Change[]): { readonly by: readonly string[]; readonly byMore: number } {
  const { users, more } = authorsOf(changes);
  const firsts = new Set(changes.flatMap(({ attribution }) => attribution?.firstUser ?? []));
  const others = users.filter((user) => !firsts.has(user)).slice(0, Math.max(0, maxNamedUsers - firsts.size));
  const by = users.filter((user) => firsts.has(user) || others.includes(user));
  return { by: by.map(shown), byMore: more + users.length - by.length };
}

/** What parses the annotation prints it, too: names are escaped in themselves, and not in its JSON alone. */
function shown(name: string): string {
  return printable(name, maxNameBytes);
}
