import type { AnnotationKeys } from '../../shared/domain/annotations/annotations';
import { sameGateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { objectKey, type ObjectKey } from '../../shared/domain/kubernetes/object-key';
import type { PolicySettings } from '../../shared/domain/policy/policy';
import { readWorkload, trackingSignature, type WorkloadRecord } from '../../shared/domain/workloads/workload';
import { unknownProgress } from '../../shared/domain/workloads/rollout-progress';
import {
  askingRollouts,
  referencedDeployment,
  joinedDeployment,
  joinedRollout,
  withOtherTemplate,
  type ReferringRollout,
} from '../../shared/domain/workloads/workload-ref';
import { workloadKind, type WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import type { ReflectorSink } from '../../shared/kube/list-watch/reflector';
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

/** Joins Rollouts with the Deployments whose template they take, as both are seen: see {@link ReferringRollout}. */
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
      const key = keyOf(record);
      const referenced = this.#rolloutsOf.has(key)
        ? { ...record, rolloutStatus: 'unknown' as const, progress: unknownProgress }
        : record;
      return joinedDeployment(referenced, this.#asking(key));
    }
    return record.rollout?.workloadRef ? this.#joinedRollout(record) : record;
  }

  /** Whether a Rollout takes its template from this workload. */
  isReferenced({ kind, namespace, name }: Pick<WorkloadRecord, 'kind' | 'namespace' | 'name'>): boolean {
    return kind === 'Deployment' && this.#rolloutsOf.has(objectKey(namespace, name));
  }

  /** A Deployment as it was last seen, if a Rollout takes its template; the index may not keep it. */
  referenced(deployment: ObjectKey): WorkloadRecord | undefined {
    return this.#deployments.get(deployment);
  }

  /** Like {@link WorkloadIndex.sink}, with Rollouts and their Deployments joined. */
  sink(kind: WorkloadKindName, namespace: string | undefined, onSynced: () => void): ReflectorSink<WorkloadRecord> {
    const sink = this.#options.workloads.sink(kind, namespace, onSynced);
    if (kind !== 'Deployment' && kind !== 'Rollout') return sink;
    return {
      ...sink,
      upsert: (record, origin) => {
        if (kind === 'Rollout') this.#takeRollout(record, origin);
        else this.#takeDeployment(record, origin, sink);
        sink.upsert(this.joined(record), origin);
      },
      remove: (key, uid) => {
        if (kind === 'Rollout') this.#dropRollout(key, uid);
        else this.#dropDeployment(key, uid, sink);
        sink.remove(key, uid);
      },
    };
  }

  /**
   * etcd was restored, and everything is listed again. The index has forgotten the Rollouts, so no list tells which of them are
   * gone.
   */
  restored(): void {
    this.#rolloutsOf.clear();
    this.#deploymentOf.clear();
    this.#deployments.clear();
  }

  #takeRollout(record: WorkloadRecord, origin: 'list' | 'watch'): void {
    const key = keyOf(record);
    const name = referencedDeployment(record);
    const deployment = name === undefined ? undefined : objectKey(record.namespace, name);
    if (this.#deploymentOf.get(key) !== deployment) this.#end(key);
    if (deployment === undefined) return;
    const rollouts = this.#rolloutsOf.get(deployment) ?? new Map<ObjectKey, ReferringRollout>();
    const known = rollouts.get(key);
    const former = known?.record.uid === record.uid ? known : undefined;
    const asksTheSame = former !== undefined && asks(former.record) === asks(record);
    // A list shows only the last of several writes, and it may have opted in with any of them.
    const dating = origin === 'list' ? former?.record : record;
    const askedAtMs = asksTheSame ? former.askedAtMs : former && dating?.writtenAtMs;
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

  #takeDeployment(record: WorkloadRecord, origin: 'list' | 'watch', sink: ReflectorSink<WorkloadRecord>): void {
    const key = keyOf(record);
    const rollouts = this.#rolloutsOf.get(key);
    if (!rollouts) return;
    const isNew = this.#deployments.get(key)?.uid !== record.uid;
    this.#deployments.set(key, record);
    for (const [rollout, referring] of rollouts) {
      // What the Rollout uses was unknown until now, so this must not date its opt-in.
      if (isNew) this.#options.workloads.seeAnew(rolloutKey(rollout));
      const joined = this.joined(referring.record);
      // The Rollout itself is not listed here. As it is known, it may be older than our own write.
      sink.upsert(origin === 'list' ? { ...joined, isTemplateListed: true } : joined, 'watch');
    }
  }

  #dropDeployment(key: ObjectKey, uid: string | undefined, sink: ReflectorSink<WorkloadRecord>): void {
    const known = this.#deployments.get(key);
    if (!known || (uid !== undefined && uid !== known.uid)) return;
    this.#deployments.delete(key);
    for (const { record } of this.#rolloutsOf.get(key)?.values() ?? []) sink.upsert(this.joined(record), 'watch');
  }

  #joinedRollout(record: WorkloadRecord): WorkloadRecord {
    const { policy, annotationKeys } = this.#options;
    const name = referencedDeployment(record);
    if (name === undefined) return withOtherTemplate(record, policy, annotationKeys);
    const key = objectKey(record.namespace, name);
    return joinedRollout(record, this.#deployments.get(key), this.#asking(key));
  }

  #asking(deployment: ObjectKey): readonly ReferringRollout[] {
    return askingRollouts(this.#rolloutsOf.get(deployment)?.values() ?? [], this.#options.policy);
  }
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
