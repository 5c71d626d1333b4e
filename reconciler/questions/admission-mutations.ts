import {
  formatBaseline,
  withoutUid,
  parseBaseline,
  sameSources,
  type Baseline,
} from '../../shared/domain/baseline/baseline';
import { absent } from '../../shared/domain/sources/content-digest';
import type { MutationAnswer, MutationQuestion } from '../../shared/domain/protocol/mutation-question';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { parseSourceId, sourceKinds, type SourceId } from '../../shared/domain/sources/source';
import { workloadKind, type WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { noMarks, type WorkloadMarks } from '../../shared/domain/marks/workload-marks';
import { ownAnnotations } from '../../shared/domain/annotations/annotations';
import { BaselineTooLargeError, baselineText } from '../apply/baseline-too-large-error';
import type { Hints } from '../hints/hints';
import { attributed, describeRestart, type DescribeOptions } from '../worker/describe-restart';
import type { DigestKeyring } from '../sources/digest-keyring';
import type { InjectedRestarts } from '../worker/injected-restarts';
import type { NamespaceScope } from '../workloads/namespace-scope';
import { candidates } from '../../shared/domain/plan/candidates';
import { usedOrListed } from '../../shared/domain/plan/next-baseline';
import { plan } from '../../shared/domain/plan/plan';
import { whyUntracked } from '../../shared/domain/plan/why-untracked';
import type { ContentLoader } from '../reading/content-loader';
import type { PlanView } from '../worker/plan-view';
import { sleep, type Clock } from '../../shared/runtime/clock';
import { workloadKey, type TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { notStored, unstoredWorkload, withIdentity } from '../../shared/domain/plan/unstored-workload';

export interface AdmissionMutationsOptions extends PlanView, Omit<DescribeOptions, keyof PlanView> {
  readonly contents: Pick<ContentLoader, 'read'>;
  readonly clock: Clock;
  readonly keys: Pick<DigestKeyring, 'keyId' | 'isOwn'>;
  readonly hints: Pick<Hints, 'attribution' | 'readNow'>;
  readonly injected: InjectedRestarts;
  readonly scope: Pick<NamespaceScope, 'isSelected'>;
  /** Decodes an object as the engine does. Throws a MalformedObjectError. */
  readonly read: (kind: WorkloadKindName, object: unknown) => WorkloadRecord;
}

/** The write waits for the answer, so reading may take only a moment. */
const newsMs = 150;

/**
 * Decides what to add to a write of a workload whose pods start after it. The pods read what is stored then, so
 * outdated knowledge causes at most one restart too many, and never one too few. Nothing else is done: the write may
 * still be refused, and the stored state decides.
 */
export class AdmissionMutations {
  readonly #options: AdmissionMutationsOptions;

  constructor(options: AdmissionMutationsOptions) {
    this.#options = options;
  }

  /** Undefined if this process cannot answer: it does not lead, or knows another baseline. */
  async answer(question: MutationQuestion): Promise<MutationAnswer | undefined> {
    try {
      return await this.#answer(question);
    } catch (thrown) {
      // The engine reports it, once the workload is stored.
      if (thrown instanceof BaselineTooLargeError) return { v: 1, ...noMarks };
      throw thrown;
    }
  }

  async #answer({ kind, namespace, object }: MutationQuestion): Promise<MutationAnswer | undefined> {
    const { read, scope, settings, term } = this.#options;
    if (!term()) return undefined;
    const record = read(kind, withIdentity(object, namespace));
    if (!scope.isSelected(namespace) || whyUntracked(record, settings.policy) !== undefined)
      return { v: 1, ...noMarks };
    const before = this.#baselineOf(record);
    if (before === 'unknown') return undefined;
    if (!before && (namesByPattern(record) || this.#awaitsBaseline(record))) return { v: 1, ...noMarks };
    await this.#newsOf(record);
    // The Lease may have been lost meanwhile.
    const currentTerm = term();
    if (!currentTerm) return undefined;
    const baseline = this.#baselineOf(record);
    if (baseline === 'unknown') return undefined;
    const workload = unstoredWorkload(record, baseline);
    const { sources, keys, knownKinds, isNamed, injected } = this.#options;
    const known = {
      sources,
      isNamed,
      settings,
      keyId: keys.keyId,
      knownKinds: knownKinds(namespace),
      term: currentTerm,
    };
    const planned = plan({ ...known, workload });
    switch (planned.action) {
      case 'read':
        return undefined;
      case 'none':
        return { v: 1, ...noMarks };
      case 'adopt':
        return { v: 1, ...adoption(workload, withoutFound(workload, planned.baseline)) };
      case 'restart': {
        if (!takesRestartInTemplate(record)) return { v: 1, ...noMarks };
        const changes = attributed(this.#options.hints, workload, planned.changes);
        const next = withoutFound(workload, planned.baseline);
        const { annotations, marker } = describeRestart(this.#options, workload, next, changes);
        injected.add(workload.key, { baselineText: baselineText(workload, next), changes });
        return { v: 1, annotations, template: marker };
      }
    }
  }

  /**
   * Reads sources that may be newer than the index. A release writes the ConfigMap milliseconds earlier: it is
   * announced, but not yet seen. If no workload used it before, nobody has read it.
   */
  async #newsOf(record: WorkloadRecord): Promise<void> {
    const { clock, hints, sources, contents } = this.#options;
    const { namespace } = record;
    const used = candidates({ workload: unstoredWorkload(record, undefined), sources });
    const news = [hints.readNow(namespace), contents.read(namespace, used)];
    const over = new AbortController();
    try {
      await Promise.race([Promise.allSettled(news), sleep(clock, newsMs, over.signal)]);
    } finally {
      over.abort();
    }
  }

  /**
   * Whether the engine is about to write the first baseline of this workload. The webhook does not know the flags of the
   * reconciler, so it may take the workload for one that this write opts in. Its pods have run for longer, perhaps with
   * a former content of a source. The engine knows that content; a baseline with the present one would hide the change.
   */
  #awaitsBaseline({ kind, namespace, name, uid }: WorkloadRecord): boolean {
    return this.#options.workloads.get(workloadKey(kind, namespace, name))?.record.uid === uid;
  }

  /**
   * The baseline on the object, if this process has seen the same one, digest for digest. Otherwise a user could make
   * one up and learn which sources differ from it.
   */
  #baselineOf({ kind, namespace, name, uid, baselineText: text }: WorkloadRecord): Baseline | undefined | 'unknown' {
    const { keys, workloads } = this.#options;
    const entry = workloads.get(workloadKey(kind, namespace, name));
    const seen = entry?.record.uid === uid ? entry.baseline : undefined;
    if (text === undefined || seen === undefined) return text === seen ? undefined : 'unknown';
    try {
      const baseline = parseBaseline(text);
      return keys.isOwn(baseline.keyId) && formatBaseline(baseline) === formatBaseline(seen) ? baseline : 'unknown';
    } catch {
      return 'unknown';
    }
  }
}

/**
 * If it lists sources by pattern, a workload gets no baseline: a user who creates one with `.*` in a list would learn
 * the name of every Secret in the namespace. A baseline with only some of the sources would make the engine believe
 * that the rest was adopted too. The engine adopts all of them itself, as they were when the workload came to use them.
 */
function namesByPattern({ policy }: WorkloadRecord): boolean {
  return sourceKinds.some((kind) => policy[kind].named.hasPatterns);
}

/**
 * For the same reason, leaves out sources that only a pattern has found since the baseline on the object was written.
 */
function withoutFound(workload: TrackedWorkload, baseline: Baseline): Baseline {
  const isNamed = usedOrListed(workload);
  const isListed = (id: SourceId): boolean => {
    const source = parseSourceId(id);
    return source !== undefined && isNamed(source.kind, id, source.name);
  };
  const sources = [...baseline.sources].filter(([id]) => workload.baseline?.sources.has(id) === true || isListed(id));
  const next = { ...baseline, sources: new Map(sources) };
  return baseline.uid === notStored ? withoutUid(next) : next;
}

/**
 * Leaves out absent sources: the watch may not show yet what was created a moment ago. Once it does, the engine adopts
 * the source as it was when the workload came to use it.
 */
function adoption(workload: TrackedWorkload, baseline: Baseline): WorkloadMarks {
  const sources = [...baseline.sources].filter(
    ([id, recorded]) => recorded !== absent || workload.baseline?.sources.has(id) === true,
  );
  const next = { ...baseline, sources: new Map(sources) };
  const { keyId, sources: before } = workload.baseline ?? {};
  if (before && keyId === next.keyId && sameSources(before, next.sources)) return noMarks;
  const text = baselineText(workload, next);
  return { ...noMarks, annotations: { [ownAnnotations.baseline]: text } };
}

/** Whether a changed template is all that the workload's restart requires. */
function takesRestartInTemplate({ kind, pause, rollout }: WorkloadRecord): boolean {
  if (pause?.periodMs !== undefined || rollout?.workloadRef !== undefined) return false;
  const { apply } = workloadKind(kind);
  return apply === 'patch' || (apply === 'rollout' && rollout?.strategy === 'rollout');
}
