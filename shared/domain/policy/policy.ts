import { assertNever } from '../errors';
import type { NamedList } from '../text/pattern';
import { sourceKinds, type LocalSourceRef, type SourceKind } from '../sources/source';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';

/** The auto switches for one kind of source: on by the untyped key, on by the typed key, off, or not set. */
export type AutoSwitch = 'auto' | 'auto-typed' | 'off' | 'unset';

/** What a workload asks for from the sources of one kind. */
export interface KindPolicy {
  /** The workload is narrowed to other kinds: no source of this kind restarts it, whatever else is set. */
  readonly leftOut: boolean;
  readonly named: NamedList;
  readonly excluded: ReadonlySet<string>;
  readonly search: boolean;
  readonly auto: AutoSwitch;
}

export type WorkloadPolicy = Readonly<Record<SourceKind, KindPolicy>>;

/** Settings of the install that apply to all workloads. */
export interface PolicySettings {
  /** Workloads without any switch count as `auto`. */
  readonly autoReloadAll: boolean;
  readonly ignoredWorkloadKinds: readonly WorkloadKindName[];
}

/** The part of a source that a decision needs. */
export interface PolicySource extends LocalSourceRef {
  readonly ignore: boolean;
  readonly match: boolean;
}

export type DecisionReason =
  | 'workload-kind-ignored'
  | 'source-ignored'
  | 'kind-left-out'
  | 'excluded'
  | 'named'
  | 'search-match'
  | 'auto'
  | 'auto-typed'
  | 'auto-reload-all'
  | 'opted-out'
  | 'not-opted-in';

export interface Decision {
  readonly restart: boolean;
  /** Restart only if the pod template uses the source. */
  readonly onlyIfReferenced: boolean;
  readonly because: DecisionReason;
}

interface Question {
  readonly policy: KindPolicy;
  readonly workloadKind: WorkloadKindName;
  readonly source: PolicySource;
  readonly settings: PolicySettings;
}

type Step = (question: Question) => Decision | undefined;

const workloadKindIgnored: Step = ({ workloadKind, settings }) =>
  settings.ignoredWorkloadKinds.includes(workloadKind) ? no('workload-kind-ignored') : undefined;

const sourceIgnored: Step = ({ source }) => (source.ignore ? no('source-ignored') : undefined);

const kindLeftOut: Step = ({ policy }) => (policy.leftOut ? no('kind-left-out') : undefined);

const excluded: Step = ({ policy, source }) => (policy.excluded.has(source.name) ? no('excluded') : undefined);

const named: Step = ({ policy, source }) =>
  policy.named.matches(source.name) ? { restart: true, onlyIfReferenced: false, because: 'named' } : undefined;

const searchMatch: Step = ({ policy, source }) =>
  policy.search && source.match ? ifReferenced('search-match') : undefined;

const auto: Step = ({ policy, settings }) => {
  switch (policy.auto) {
    case 'auto':
    case 'auto-typed':
      return ifReferenced(policy.auto);
    case 'off':
      return no('opted-out');
    case 'unset':
      return settings.autoReloadAll ? ifReferenced('auto-reload-all') : undefined;
    default:
      return assertNever(policy.auto, 'auto switch');
  }
};

/** The order is Reloader's, with one addition of ours: an exclusion beats a name, and a name beats `auto: "false"`. */
const steps: readonly Step[] = [workloadKindIgnored, sourceIgnored, kindLeftOut, excluded, named, searchMatch, auto];

/** Whether a change to `source` restarts a workload, and why. */
export function decide(
  policy: WorkloadPolicy,
  workloadKind: WorkloadKindName,
  source: PolicySource,
  settings: PolicySettings,
): Decision {
  const question = { policy: policy[source.kind], workloadKind, source, settings };
  for (const step of steps) {
    const decision = step(question);
    if (decision) return decision;
  }
  return no('not-opted-in');
}

function no(because: DecisionReason): Decision {
  return { restart: false, onlyIfReferenced: false, because };
}

function ifReferenced(because: DecisionReason): Decision {
  return { restart: true, onlyIfReferenced: true, because };
}

/** Whether any source of that kind could ever restart the workload. */
export function mayUse(policy: WorkloadPolicy, sourceKind: SourceKind, settings: PolicySettings): boolean {
  const { leftOut, named: names, search, auto: switched } = policy[sourceKind];
  if (leftOut) return false;
  if (!names.isEmpty || search) return true;
  return switched === 'unset' ? settings.autoReloadAll : switched !== 'off';
}

/** Whether any source could ever restart the workload. A workload that is not opted in needs no further processing. */
export function optedIn(policy: WorkloadPolicy, settings: PolicySettings): boolean {
  return sourceKinds.some((kind) => mayUse(policy, kind, settings));
}

/**
 * What a workload asks for, without what it forbids. A write that opts a workload in changes this text only if it sets
 * something, or changes which annotations are overridden.
 */
export function requestedRestarts(policy: WorkloadPolicy): string {
  const each = sourceKinds.map((kind) => {
    const { named: names, search, auto: switched } = policy[kind];
    return [names.toString(), search, switched === 'auto' || switched === 'auto-typed'];
  });
  return JSON.stringify(each);
}

const reasonTexts: Readonly<Record<DecisionReason, string>> = {
  'workload-kind-ignored': 'workloads of this kind are ignored by --ignored-workload-types',
  'source-ignored': 'the source is annotated to be ignored',
  'kind-left-out': 'the workload is narrowed to other kinds of sources',
  excluded: "the workload's exclude list names the source",
  named: "the workload's list names the source",
  'search-match': 'the workload searches and the source is annotated to match',
  auto: 'the workload restarts for everything it uses',
  'auto-typed': 'the workload restarts for everything of this kind that it uses',
  'auto-reload-all': 'every workload restarts for what it uses (--auto-reload-all)',
  'opted-out': 'the workload has switched automatic restarts off',
  'not-opted-in': 'nothing on the workload asks for restarts from this source',
};

/** The reason as a phrase for people; fits after "because". */
export function describeReason(reason: DecisionReason): string {
  return reasonTexts[reason];
}
