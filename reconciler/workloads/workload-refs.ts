import type { AnnotationProblem } from '../../shared/domain/annotations/annotation-problem';
import type { AnnotationKeys } from '../../shared/domain/annotations/annotations';
import { objectKey, type ObjectKey } from '../../shared/domain/kubernetes/object-key';
import { optedIn, type KindPolicy, type PolicySettings, type WorkloadPolicy } from '../../shared/domain/policy/policy';
import { readWorkload, trackingSignature, type WorkloadRecord } from '../../shared/domain/workloads/workload';
import { workloadKind, type WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import type { ReflectorSink } from '../../shared/kube/list-watch/reflector';
import { withRestartsDisabled } from './restarts-disabled';
import type { WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { WorkloadIndex } from './workload-index';

export interface WorkloadRefsOptions {
  readonly annotationKeys: AnnotationKeys;
  readonly policy: PolicySettings;
  readonly workloads: Pick<WorkloadIndex, 'sink' | 'seeAnew'>;
  /** What a Deployment lends, or to whom, has changed: it must be read again, for what nobody asks for is not kept. */
  readonly onReference: (deployment: ObjectKey) => void;
}

interface Borrower {
  readonly record: WorkloadRecord;
  /** When it was seen to ask for something else; undefined: not since it was first seen. */
  readonly askedAtMs: number | undefined;
}

/**
 * Argo Rollouts that take their pod template from a Deployment (`spec.workloadRef`). Rollout and Deployment are one
 * workload in two objects; which of the two is restarted follows from where it takes effect:
 *
 * | the Rollout asks for | the Deployment asks for itself | restarted is                                             |
 * |----------------------|--------------------------------|----------------------------------------------------------|
 * | nothing              | anything                       | the Deployment, as if there were no Rollout              |
 * | `rollout`            | anything                       | the Deployment: Argo takes its new template and rolls    |
 * | `restart`            | nothing                        | the Rollout, by `restartAt`; the Deployment is set aside |
 * | `restart`            | something                      | the Deployment: its new template rolls the Rollout too   |
 *
 * The baseline stands on the one that is restarted, so template and baseline still move in one PATCH. A Rollout's own
 * template is never written to: Argo refuses one beside a workloadRef.
 */
export class WorkloadRefs {
  readonly #options: WorkloadRefsOptions;
  /** By Deployment, the Rollouts that take its template. */
  readonly #borrowers = new Map<ObjectKey, Map<ObjectKey, Borrower>>();
  readonly #lenderOf = new Map<ObjectKey, ObjectKey>();
  /** Deployments that lend, as they are read. */
  readonly #lenders = new Map<ObjectKey, WorkloadRecord>();

  constructor(options: WorkloadRefsOptions) {
    this.#options = options;
  }

  /** The workload as its object says, its template included if it lends it. Throws a MalformedObjectError. */
  read(kind: WorkloadKindName, object: unknown): WorkloadRecord {
    const { annotationKeys, policy } = this.#options;
    const record = readWorkload(workloadKind(kind), object, annotationKeys, policy);
    if (kind !== 'Deployment' || !this.#borrowers.has(keyOf(record))) return record;
    return readWorkload(workloadKind(kind), object, annotationKeys, policy, true);
  }

  /** The workload as it is to be treated: with the policy of who takes its template, or the template of who lends it. */
  joined(record: WorkloadRecord): WorkloadRecord {
    if (record.kind === 'Deployment') {
      // Of the pods that a Rollout has made of its template, its own status tells nothing.
      return this.#joinedDeployment(
        this.#borrowers.has(keyOf(record)) ? { ...record, rolloutStatus: 'unknown' } : record,
      );
    }
    return record.rollout?.workloadRef ? this.#joinedRollout(record) : record;
  }

  /** As {@link WorkloadIndex.sink}, with both sides of each loan brought together. */
  sink(kind: WorkloadKindName, namespace: string | undefined, onSynced: () => void): ReflectorSink<WorkloadRecord> {
    const sink = this.#options.workloads.sink(kind, namespace, onSynced);
    if (kind !== 'Deployment' && kind !== 'Rollout') return sink;
    return {
      ...sink,
      upsert: (record, origin) => {
        if (kind === 'Rollout') this.#takeRollout(record);
        else this.#takeDeployment(record, sink);
        sink.upsert(this.joined(record), origin);
      },
      remove: (key, uid) => {
        if (kind === 'Rollout') this.#dropRollout(key, uid);
        else this.#dropDeployment(key, uid, sink);
        sink.remove(key, uid);
      },
    };
  }

  #takeRollout(record: WorkloadRecord): void {
    const key = keyOf(record);
    const ref = record.rollout?.workloadRef;
    const lender = ref?.kind === 'Deployment' ? objectKey(record.namespace, ref.name) : undefined;
    if (this.#lenderOf.get(key) !== lender) this.#end(key);
    if (lender === undefined) return;
    const loans = this.#borrowers.get(lender) ?? new Map<ObjectKey, Borrower>();
    const known = loans.get(key);
    const former = known?.record.uid === record.uid ? known : undefined;
    const asksTheSame = former !== undefined && asks(former.record) === asks(record);
    const askedAtMs = asksTheSame ? former.askedAtMs : former && record.writtenAtMs;
    this.#borrowers.set(lender, loans.set(key, { record, askedAtMs }));
    this.#lenderOf.set(key, lender);
    if (asksTheSame) return;
    // Its opt-in was not seen happen, so the Deployment's last write does not date it.
    if (!former) this.#options.workloads.seeAnew(deploymentKey(lender));
    this.#options.onReference(lender);
  }

  #dropRollout(key: ObjectKey, uid: string | undefined): void {
    const lender = this.#lenderOf.get(key);
    const known = lender === undefined ? undefined : this.#borrowers.get(lender)?.get(key);
    if (known && (uid === undefined || uid === known.record.uid)) this.#end(key);
  }

  #end(rollout: ObjectKey): void {
    const lender = this.#lenderOf.get(rollout);
    if (lender === undefined) return;
    this.#lenderOf.delete(rollout);
    const loans = this.#borrowers.get(lender);
    loans?.delete(rollout);
    if (loans?.size === 0) {
      this.#borrowers.delete(lender);
      this.#lenders.delete(lender);
    }
    this.#options.onReference(lender);
  }

  #takeDeployment(record: WorkloadRecord, sink: ReflectorSink<WorkloadRecord>): void {
    const key = keyOf(record);
    const loans = this.#borrowers.get(key);
    if (!loans) return;
    const isNew = this.#lenders.get(key)?.uid !== record.uid;
    this.#lenders.set(key, record);
    for (const [rollout, borrower] of loans) {
      // What it uses was not known until now: nothing it does is dated by that.
      if (isNew) this.#options.workloads.seeAnew(rolloutKey(rollout));
      sink.upsert(this.joined(borrower.record), 'watch');
    }
  }

  #dropDeployment(key: ObjectKey, uid: string | undefined, sink: ReflectorSink<WorkloadRecord>): void {
    const known = this.#lenders.get(key);
    if (!known || (uid !== undefined && uid !== known.uid)) return;
    this.#lenders.delete(key);
    for (const { record } of this.#borrowers.get(key)?.values() ?? []) sink.upsert(this.joined(record), 'watch');
  }

  #joinedDeployment(record: WorkloadRecord): WorkloadRecord {
    const asking = this.#asking(keyOf(record));
    const speaker = asking.find((borrower) => borrower.record.rollout?.strategy === 'rollout') ?? asking[0];
    if (!speaker) return record;
    if (!isRestartedItself(record, asking)) return withRestartsDisabled(record);
    const { askedAtMs, record: rollout } = speaker;
    // The pods are no older than the younger of the two.
    const createdAtMs = Math.max(record.createdAtMs, rollout.createdAtMs);
    return {
      ...record,
      policy: mergedPolicy(rollout.policy, record.policy),
      settings: { ...record.settings, ...rollout.settings },
      createdAtMs,
      writtenAtMs: Math.max(record.writtenAtMs ?? 0, createdAtMs, askedAtMs ?? 0),
      ...(askedAtMs !== undefined && { askedAtMs }),
      // Argo takes the template of a paused Deployment too.
      ...(record.pause && { pause: { ...record.pause, periodMs: undefined } }),
    };
  }

  #joinedRollout(record: WorkloadRecord): WorkloadRecord {
    const { strategy, workloadRef } = record.rollout ?? {};
    if (workloadRef?.kind !== 'Deployment') return strategy === 'restart' ? record : this.#unsupported(record);
    const lender = objectKey(record.namespace, workloadRef.name);
    const deployment = this.#lenders.get(lender);
    if (!deployment || isRestartedItself(deployment, this.#asking(lender))) return withRestartsDisabled(record);
    const { references, firstContainer, createdAtMs, writtenAtMs = createdAtMs } = deployment;
    return {
      ...record,
      policy: mergedPolicy(record.policy, deployment.policy),
      ...{ references, firstContainer },
      createdAtMs: Math.max(record.createdAtMs, createdAtMs),
      writtenAtMs: Math.max(record.writtenAtMs ?? record.createdAtMs, writtenAtMs),
    };
  }

  #unsupported(record: WorkloadRecord): WorkloadRecord {
    if (!optedIn(record.policy, this.#options.policy)) return record;
    const key = this.#options.annotationKeys.rolloutStrategy;
    const { kind = '', name = '' } = record.rollout?.workloadRef ?? {};
    const message = `cannot be followed: the template comes from ${kind} ${name}, and only that of a Deployment can`;
    const fix = 'refer to a Deployment, or write restart and list the sources by name';
    const problem: AnnotationProblem = { code: 'overridden', key, value: 'rollout', message, fix };
    return { ...withRestartsDisabled(record), problems: [...record.problems, problem] };
  }

  /** Rollouts that ask for restarts, in the order of their names: of several the first one is listened to. */
  #asking(deployment: ObjectKey): readonly Borrower[] {
    const loans = this.#borrowers.get(deployment)?.values() ?? [];
    return [...loans]
      .filter(({ record }) => optedIn(record.policy, this.#options.policy))
      .sort((left, right) => (left.record.name < right.record.name ? -1 : 1));
  }
}

function isRestartedItself(deployment: WorkloadRecord, asking: readonly Borrower[]): boolean {
  const asksItself = optedIn(deployment.policy, { autoReloadAll: false, ignoredWorkloadKinds: [] });
  return asking.length === 0 || asksItself || asking.some(({ record }) => record.rollout?.strategy === 'rollout');
}

/** For each kind of source the Rollout's annotations count where they say anything, else the Deployment's. */
function mergedPolicy(rollout: WorkloadPolicy, deployment: WorkloadPolicy): WorkloadPolicy {
  const merged = (kind: keyof WorkloadPolicy): KindPolicy => {
    const { leftOut, named, excluded, search, auto } = rollout[kind];
    const speaks = leftOut || !named.isEmpty || excluded.size > 0 || search || auto !== 'unset';
    return speaks ? rollout[kind] : deployment[kind];
  };
  return {
    ConfigMap: merged('ConfigMap'),
    Secret: merged('Secret'),
    SecretProviderClass: merged('SecretProviderClass'),
  };
}

function asks(record: WorkloadRecord): string {
  return `${trackingSignature(record)} ${record.rollout?.strategy ?? ''} ${JSON.stringify(record.settings)}`;
}

function keyOf({ namespace, name }: WorkloadRecord): ObjectKey {
  return objectKey(namespace, name);
}

function deploymentKey(key: ObjectKey): WorkloadKey {
  return `Deployment/${key}`;
}

function rolloutKey(key: ObjectKey): WorkloadKey {
  return `Rollout/${key}`;
}
