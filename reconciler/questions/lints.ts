import type { AnnotationKeys } from '../../shared/domain/annotations/annotations';
import type { AskedChecks } from '../../shared/domain/gate-settings/health-check';
import { noKnownSources, type KnownSources, type SourceQuestion } from '../../shared/domain/lint/known-sources';
import type { LintAnswer } from '../../shared/domain/protocol/lint-answer';
import { readLintSubject, type LintSettings, type WorkloadSubject } from '../../shared/domain/lint/lint-subject';
import { lintWorkload } from '../../shared/domain/lint/lint-workload';
import { sourceQuestion } from '../../shared/domain/lint/listed-sources';
import { candidateOf } from '../../shared/domain/plan/candidates';
import { workloadKey, type TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import type { PolicySettings } from '../../shared/domain/policy/policy';
import type { Selection } from '../../shared/domain/sources/selection';
import { parseSourceId, type SourceId, type SourceKind, type SourceRecord } from '../../shared/domain/sources/source';
import type { WorkloadQuestion } from '../../shared/domain/protocol/workload-question';
import type { NamespaceScope } from '../workloads/namespace-scope';
import type { SourceIndex } from '../sources/source-index';
import type { PlanView } from '../worker/plan-view';
import type { WorkloadIndex } from '../workloads/workload-index';

/** Comparisons of a source with another canary, for one answer. A namespace has few canaries, and a workload few sources. */
const maxCompared = 1_000;

export interface LintsOptions extends Pick<PlanView, 'knownKinds' | 'term'> {
  readonly workloads: Pick<WorkloadIndex, 'get' | 'tracked'>;
  readonly annotationKeys: AnnotationKeys;
  readonly askedChecks: AskedChecks;
  readonly sources: Pick<SourceIndex, 'get'>;
  readonly scope: Pick<NamespaceScope, 'isKnown' | 'isSelected'>;
  readonly settings: Omit<Selection, 'ignoredSourceKinds'> & {
    readonly policy: PolicySettings;
    readonly ignoredSourceKind: SourceKind | undefined;
    readonly csi: boolean;
  };
}

/** Finds mistakes in a workload's annotations that depend on the flags and sources that only the engine knows. */
export class Lints {
  readonly #options: LintsOptions;
  readonly #settings: LintSettings;

  constructor(options: LintsOptions) {
    const { annotationKeys: keys, askedChecks, settings } = options;
    const { policy, csi, ignoredSourceKind } = settings;
    this.#options = options;
    const ignoredSourceKinds = ignoredSourceKind === undefined ? [] : [ignoredSourceKind];
    this.#settings = { keys, policy, csi, askedChecks, selection: { ...settings, ignoredSourceKinds } };
  }

  /** Undefined if this process cannot answer, because it does not lead. */
  answer({ group, kind, namespace, object }: WorkloadQuestion): LintAnswer | undefined {
    if (!this.#options.term()) return undefined;
    const subject = readLintSubject({ group, kind, namespace, object }, this.#settings);
    const certain = lintWorkload(subject, noKnownSources);
    const asked = 'spec' in subject ? questionOf(subject) : undefined;
    const found = asked ? lintWorkload(subject, this.#known(asked)) : certain;
    const isCertain = (message: string): boolean => certain.some((finding) => finding.message === message);
    return { v: 1, findings: found.map(({ message }) => ({ message, provisional: !isCertain(message) })) };
  }

  /** Sources that are not watched are unknown: in particular, not known to be absent. */
  #known({ namespace, named }: SourceQuestion): KnownSources {
    const { sources, workloads, scope, settings, knownKinds } = this.#options;
    const { namespaces, namespacesToIgnore } = settings;
    if (namespaces.length > 0 ? !namespaces.includes(namespace) : namespacesToIgnore.includes(namespace)) {
      return noKnownSources;
    }
    const kinds = knownKinds(namespace);
    const found = named.flatMap((id): readonly (readonly [SourceId, SourceRecord])[] => {
      const asked = parseSourceId(id);
      const source = asked && kinds.has(asked.kind) ? sources.get({ ...asked, namespace }) : undefined;
      return source ? [[id, source]] : [];
    });
    return {
      ...(scope.isKnown && { isNamespaceSelected: scope.isSelected(namespace) }),
      ...{ kinds, named: new Map(found) },
      workload: ({ kind, name }) => workloads.get(workloadKey(kind, namespace, name))?.record,
      hasOtherCanary: this.#otherCanaries(namespace),
    };
  }

  /**
   * Only canaries are compared, and few of them: a namespace may have a thousand users of a source, each with patterns that
   * the names of five hundred sources would be matched with.
   */
  #otherCanaries(namespace: string): NonNullable<KnownSources['hasOtherCanary']> {
    const { workloads } = this.#options;
    let left = maxCompared;
    let canaries: readonly TrackedWorkload[] | undefined;
    return (source, self) => {
      const own = workloadKey(self.kind, namespace, self.name);
      canaries ??= [...workloads.tracked()].filter(
        ({ record }) => record.namespace === namespace && record.gates?.isCanary === true,
      );
      return canaries.some(
        (other) => other.key !== own && left-- > 0 && candidateOf({ ...source, namespace }, other) !== undefined,
      );
    };
  }
}

/** What must be known of the cluster; undefined: nothing. */
function questionOf(subject: WorkloadSubject): SourceQuestion | undefined {
  const { namespace } = subject.write;
  return (
    sourceQuestion(subject) ??
    (subject.spec.gates?.after || subject.spec.gates?.isCanary ? { namespace, named: [] } : undefined)
  );
}
