import type { AnnotationProblem } from '../../shared/domain/annotations/annotation-problem';
import type { AnnotationKeys } from '../../shared/domain/annotations/annotations';
import { sameGateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { objectKey, type ObjectKey } from '../../shared/domain/kubernetes/object-key';
import { optedIn, type KindPolicy, type PolicySettings, type WorkloadPolicy } from '../../shared/domain/policy/policy';
import { readWorkload, trackingSignature, type WorkloadRecord } from '../../shared/domain/workloads/workload';
import { unknownProgress } from '../../shared/domain/workloads/rollout-progress';
import { workloadKind, type WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import type { ReflectorSink } from '../../shared/kube/list-watch/reflector';
import { withRestartsDisabled } from './workload-decoder';
import type { WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { WorkloadIndex } from './workload-index';

export interface WorkloadRefsOptions {
  readonly annotationKeys: AnnotationKeys;
  readonly policy: PolicySettings;
  /** The label that names the node pool in `nodeSelector`; undefined: node pools do not matter. */
  readonly nodePoolLabel?: string | undefined;
  readonly workloads: Pick<WorkloadIndex, 'sink' | 'seeAnew'>;
  /**
   * The Rollouts that refer to a Deployment have changed. It must be read again, because the template of a workload
   * that asks for nothing is not kept.
   */
  readonly onReference: (deployment: ObjectKey) => void;
}

interface ReferringRollout {
  readonly record: WorkloadRecord;
  /** When it was last seen to change what it asks for; undefined: not since it was first seen. */
  readonly askedAtMs: number | undefined;
}

/**
 * Argo Rollouts that take their pod template from a Deployment (`spec.workloadRef`). Rollout and Deployment are one
 * workload in two objects. The object that is restarted depends on where a restart takes effect:
 *
 * | the Rollout asks for | the Deployment asks for itself | restarted is                                             |
 * |----------------------|--------------------------------|----------------------------------------------------------|
 * | nothing              | anything                       | the Deployment, as if there were no Rollout              |
 * | `rollout`            | anything                       | the Deployment: Argo takes its new template and rolls    |
 * | `restart`            | nothing                        | the Rollout, by `restartAt`; never the Deployment        |
 * | `restart`            | something                      | the Deployment: its new template rolls the Rollout too   |
 *
 * The baseline is on the object that is restarted, so template and baseline still change in one PATCH. A Rollout's own
 * template is never written: Argo refuses one beside a workloadRef.
 */
export class WorkloadRefs {
  readonly #options: WorkloadRefsOptions;
  /** By Deployment, the Rollouts that refer to it. */
  readonly #rolloutsOf = new Map<ObjectKey, Map<ObjectKey, ReferringRollout>>();
  readonly #deploymentOf = new Map<ObjectKey, ObjectKey>();
  /** Referenced Deployments, as they are read. */
  readonly #deployments = new Map<ObjectKey, WorkloadRecord>();

  constructor(options: WorkloadRefsOptions) {
    this.#options = options;
  }

  /** Decodes a workload, including its template if a Rollout refers to it. Throws a MalformedObjectError. */
  read(kind: WorkloadKindName, object: unknown): WorkloadRecord {
    const { annotationKeys, policy, nodePoolLabel } = this.#options;
    const record = readWorkload(workloadKind(kind), object, annotationKeys, policy, { nodePoolLabel });
    if (kind !== 'Deployment' || !this.#rolloutsOf.has(keyOf(record))) return record;
    return readWorkload(workloadKind(kind), object, annotationKeys, policy, { isReferenced: true, nodePoolLabel });
  }

  /**
   * The workload as Reroll treats it: a Deployment with the policy of the Rollouts that refer to it, a Rollout with the
   * template of its Deployment.
   */
  joined(record: WorkloadRecord): WorkloadRecord {
    if (record.kind === 'Deployment') {
      // The Deployment's own status says nothing about the pods that a Rollout creates from its template.
      return this.#joinedDeployment(
        this.#rolloutsOf.has(keyOf(record))
          ? { ...record, rolloutStatus: 'unknown', progress: unknownProgress }
          : record,
      );
    }
    return record.rollout?.workloadRef ? this.#joinedRollout(record) : record;
  }

  /** Whether a Rollout takes its template from this workload. */
  isLent({ kind, namespace, name }: Pick<WorkloadRecord, 'kind' | 'namespace' | 'name'>): boolean {
    return kind === 'Deployment' && this.#rolloutsOf.has(objectKey(namespace, name));
  }

  /** Like {@link WorkloadIndex.sink}, with Rollouts and their Deployments joined. */
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
    const deployment = ref?.kind === 'Deployment' ? objectKey(record.namespace, ref.name) : undefined;
    if (this.#deploymentOf.get(key) !== deployment) this.#end(key);
    if (deployment === undefined) return;
    const rollouts = this.#rolloutsOf.get(deployment) ?? new Map<ObjectKey, ReferringRollout>();
    const known = rollouts.get(key);
    const former = known?.record.uid === record.uid ? known : undefined;
    const asksTheSame = former !== undefined && asks(former.record) === asks(record);
    const askedAtMs = asksTheSame ? former.askedAtMs : former && record.writtenAtMs;
    this.#rolloutsOf.set(deployment, rollouts.set(key, { record, askedAtMs }));
    this.#deploymentOf.set(key, deployment);
    // When it may restart is not what it asks for, and so dates nothing.
    if (asksTheSame && sameGateSettings(former.record.gates, record.gates)) return;
    // Its opt-in was not observed, so the Deployment's last write does not date it.
    if (!former) this.#options.workloads.seeAnew(deploymentKey(deployment));
    this.#options.onReference(deployment);
  }

  #dropRollout(key: ObjectKey, uid: string | undefined): void {
    const deployment = this.#deploymentOf.get(key);
    const known = deployment === undefined ? undefined : this.#rolloutsOf.get(deployment)?.get(key);
    if (known && (uid === undefined || uid === known.record.uid)) this.#end(key);
  }

  #end(rollout: ObjectKey): void {
    const deployment = this.#deploymentOf.get(rollout);
    if (deployment === undefined) return;
    this.#deploymentOf.delete(rollout);
    const rollouts = this.#rolloutsOf.get(deployment);
    rollouts?.delete(rollout);
    if (rollouts?.size === 0) {
      this.#rolloutsOf.delete(deployment);
      this.#deployments.delete(deployment);
    }
    this.#options.onReference(deployment);
  }

  #takeDeployment(record: WorkloadRecord, sink: ReflectorSink<WorkloadRecord>): void {
    const key = keyOf(record);
    const rollouts = this.#rolloutsOf.get(key);
    if (!rollouts) return;
    const isNew = this.#deployments.get(key)?.uid !== record.uid;
    this.#deployments.set(key, record);
    for (const [rollout, referring] of rollouts) {
      // What the Rollout uses was unknown until now, so this must not date its opt-in.
      if (isNew) this.#options.workloads.seeAnew(rolloutKey(rollout));
      sink.upsert(this.joined(referring.record), 'watch');
    }
  }

  #dropDeployment(key: ObjectKey, uid: string | undefined, sink: ReflectorSink<WorkloadRecord>): void {
    const known = this.#deployments.get(key);
    if (!known || (uid !== undefined && uid !== known.uid)) return;
    this.#deployments.delete(key);
    for (const { record } of this.#rolloutsOf.get(key)?.values() ?? []) sink.upsert(this.joined(record), 'watch');
  }

  #joinedDeployment(record: WorkloadRecord): WorkloadRecord {
    const asking = this.#asking(keyOf(record));
    const speaker = asking.find((rollout) => rollout.record.rollout?.strategy === 'rollout') ?? asking[0];
    if (!speaker) return record;
    if (!isRestartedItself(record, asking)) return withRestartsDisabled(record);
    const { askedAtMs, record: rollout } = speaker;
    // The pods are no older than the younger of the two objects.
    const createdAtMs = Math.max(record.createdAtMs, rollout.createdAtMs);
    return {
      ...record,
      policy: mergedPolicy(rollout.policy, record.policy),
      settings: { ...record.settings, ...rollout.settings },
      ...(rollout.gates && { gates: { ...record.gates, ...rollout.gates } }),
      createdAtMs,
      writtenAtMs: Math.max(record.writtenAtMs ?? 0, createdAtMs, askedAtMs ?? 0),
      ...(askedAtMs !== undefined && { askedAtMs }),
      // Argo also takes the template of a paused Deployment.
      ...(record.pause && { pause: { ...record.pause, periodMs: undefined } }),
    };
  }

  #joinedRollout(record: WorkloadRecord): WorkloadRecord {
    const { strategy, workloadRef } = record.rollout ?? {};
    if (workloadRef?.kind !== 'Deployment') return strategy === 'restart' ? record : this.#unsupported(record);
    const key = objectKey(record.namespace, workloadRef.name);
    const deployment = this.#deployments.get(key);
    if (!deployment || isRestartedItself(deployment, this.#asking(key))) return withRestartsDisabled(record);
    const { references, firstContainer, createdAtMs, writtenAtMs = createdAtMs } = deployment;
    return {
      ...record,
      policy: mergedPolicy(record.policy, deployment.policy),
      ...(deployment.gates && { gates: { ...deployment.gates, ...record.gates } }),
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

  /** The Rollouts that ask for restarts, sorted by name: the first one decides. */
  #asking(deployment: ObjectKey): readonly ReferringRollout[] {
    const rollouts = this.#rolloutsOf.get(deployment)?.values() ?? [];
    return [...rollouts]
      .filter(({ record }) => optedIn(record.policy, this.#options.policy))
      .sort((left, right) => (left.record.name < right.record.name ? -1 : 1));
  }
}

function isRestartedItself(deployment: WorkloadRecord, asking: readonly ReferringRollout[]): boolean {
  const asksItself = optedIn(deployment.policy, { autoReloadAll: false, ignoredWorkloadKinds: [] });
  return asking.length === 0 || asksItself || asking.some(({ record }) => record.rollout?.strategy === 'rollout');
}

/** For each kind of source, the Rollout's annotations count if they say anything, otherwise the Deployment's. */
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
