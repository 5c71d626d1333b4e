import type { ComparisonReason } from '../shared/domain/comparison';
import { describeReason } from '../shared/domain/policy';
import type { WorkloadRecord } from '../shared/domain/workload';
import type { Verdict } from './plan';

const maxNamedSources = 20;
const maxNamedKeys = 20;

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
  return `${verdict.kind} ${verdict.name}: ${why(verdict)}${describeKeys(verdict.comparison?.changedKeys)}`;
}

function why({ decision, comparison }: Verdict): string {
  if (comparison) return comparisonTexts[comparison.because];
  return decision === 'not-watched' ? 'its kind is not watched' : describeReason(decision);
}

/** One sentence for an Event; cut to what a person reads. */
export function describeChanges(changes: readonly Verdict[]): string {
  const named = changes.slice(0, maxNamedSources).map(describeVerdict);
  const more = changes.length - named.length;
  return named.join('; ') + (more > 0 ? `; and ${String(more)} more` : '');
}

function describeKeys(keys: readonly string[] | undefined): string {
  if (keys === undefined || keys.length === 0) return '';
  const more = keys.length - maxNamedKeys;
  return ` (keys: ${keys.slice(0, maxNamedKeys).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''})`;
}

/**
 * The annotation `reroll.dev/last-restart`: compact JSON that tells what the last restart was for, by name. Sources
 * whose changed keys are not known stand with `null`.
 */
export function lastRestartAnnotation(restartId: string, nowMs: number, changes: readonly Verdict[]): string {
  const sources = changes
    .slice(0, maxNamedSources)
    .map(({ id, comparison }) => [id, comparison?.changedKeys?.slice(0, maxNamedKeys) ?? null] as const);
  return JSON.stringify({ at: new Date(nowMs).toISOString(), id: restartId, sources: Object.fromEntries(sources) });
}
