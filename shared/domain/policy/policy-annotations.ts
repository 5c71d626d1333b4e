import type { AnnotationProblem } from '../annotations/annotation-problem';
import type { AnnotationKeys, Annotations } from '../annotations/annotations';
import { annotation } from '../annotations/annotations';
import { parseGoBool } from '../text/go-bool';
import { readNarrowing } from './narrowing';
import { emptyNamedList, namesIn, overBudget, parseNamedList } from '../text/pattern';
import type { AutoSwitch, KindPolicy, WorkloadPolicy } from './policy';
import type { SourceKind } from '../sources/source';
import { sourceKinds } from '../sources/source';

const nothingExcluded: ReadonlySet<string> = new Set();

/** Shared instances: most workloads of a cluster have one of these policies and nothing else. */
const plainPolicies: Readonly<Record<AutoSwitch, KindPolicy>> = {
  auto: plainPolicy('auto'),
  'auto-typed': plainPolicy('auto-typed'),
  off: plainPolicy('off'),
  unset: plainPolicy('unset'),
};

function plainPolicy(switched: AutoSwitch): KindPolicy {
  return Object.freeze({
    leftOut: false,
    named: emptyNamedList,
    excluded: nothingExcluded,
    search: false,
    auto: switched,
  });
}

const silentPolicy = everyKind(plainPolicies.unset);
const autoPolicy = everyKind(plainPolicies.auto);

function everyKind(policy: KindPolicy): WorkloadPolicy {
  return Object.freeze({ ConfigMap: policy, Secret: policy, SecretProviderClass: policy });
}

/**
 * Parses a workload's annotations into a policy. For each kind of source, the pod template's annotations count if the
 * metadata has none of the four keys for that kind; an empty value counts as present. Exclude lists are read from the
 * metadata only.
 */
export function parsePolicy(
  metadata: Annotations,
  template: Annotations,
  keys: AnnotationKeys,
): { readonly policy: WorkloadPolicy; readonly problems: readonly AnnotationProblem[] } {
  const { kinds, problems: narrowingProblems } = readNarrowing(metadata, template, keys);
  const problems = [...narrowingProblems];
  const typedKeys = typedKeysOf(keys);
  const parsed = (kind: SourceKind): KindPolicy => {
    const policy = parseKind(metadata, template, keys, typedKeys[kind], problems);
    return kinds.includes(kind) ? policy : { ...policy, leftOut: true };
  };
  const policy = {
    ConfigMap: parsed('ConfigMap'),
    Secret: parsed('Secret'),
    SecretProviderClass: parsed('SecretProviderClass'),
  };
  const shared = [silentPolicy, autoPolicy].find((each) => sourceKinds.every((kind) => each[kind] === policy[kind]));
  return { policy: shared ?? policy, problems };
}

/** The keys for one kind of source. */
export interface TypedKeys {
  readonly auto: string;
  readonly reload: string;
  readonly exclude: string;
}

/** The typed keys of each kind of source. */
export function typedKeysOf(keys: AnnotationKeys): Readonly<Record<SourceKind, TypedKeys>> {
  return {
    ConfigMap: { auto: keys.configMapAuto, reload: keys.configMapReload, exclude: keys.configMapExclude },
    Secret: { auto: keys.secretAuto, reload: keys.secretReload, exclude: keys.secretExclude },
    SecretProviderClass: {
      auto: keys.secretProviderClassAuto,
      reload: keys.secretProviderClassReload,
      exclude: keys.secretProviderClassExclude,
    },
  };
}

function parseKind(
  metadata: Annotations,
  template: Annotations,
  keys: AnnotationKeys,
  typed: TypedKeys,
  problems: AnnotationProblem[],
): KindPolicy {
  const annotations = effectiveKey(metadata, keys, typed) === undefined ? template : metadata;
  const list = parseNamedList(annotation(annotations, typed.reload));
  for (const { code, element, message, fix } of list.problems)
    problems.push({ code, key: typed.reload, value: element, message, fix });
  const search = annotation(annotations, keys.search) === 'true';
  const switched = autoSwitch(annotation(annotations, keys.auto) ?? '', annotation(annotations, typed.auto) ?? '');
  const exclude = annotation(metadata, typed.exclude) ?? '';
  const over = overBudget(exclude);
  if (over) problems.push({ code: 'over-budget', key: typed.exclude, value: exclude, ...over });
  const excluded = namesIn(exclude);
  if (list.matchers.isEmpty && !search && excluded.length === 0) return plainPolicies[switched];
  return { leftOut: false, named: list.matchers, excluded: new Set(excluded), search, auto: switched };
}

/** The first of a kind's four keys on the metadata, whose presence makes those on the pod template ineffective. */
export function effectiveKey(metadata: Annotations, keys: AnnotationKeys, typed: TypedKeys): string | undefined {
  return [typed.reload, keys.search, keys.auto, typed.auto].find((key) => annotation(metadata, key) !== undefined);
}

function autoSwitch(untyped: string, typed: string): AutoSwitch {
  if (parseGoBool(untyped) === true) return 'auto';
  if (parseGoBool(typed) === true) return 'auto-typed';
  return untyped === '' && typed === '' ? 'unset' : 'off';
}
