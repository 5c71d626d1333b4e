import { objectKey } from '../../shared/domain/kubernetes/object-key';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { KeyQueue } from '../queue/key-queue';
import type { WatchedWorkloads } from '../watch/list-watches';
import { NamespaceScope } from '../workloads/namespace-scope';
import { ReferencedDeploymentReader } from '../workloads/referenced-deployment-reader';
import { WorkloadIndex } from '../workloads/workload-index';
import { WorkloadRefs, type WorkloadRefsOptions } from '../workloads/workload-refs';
import { type EngineBase, queueOptions } from './engine-deps';

/** The workload index, and the namespaces that count. */
export interface WorkloadParts {
  readonly scope: NamespaceScope;
  readonly index: WorkloadIndex;
  readonly refs: WorkloadRefs;
  /** What the watches read and fill. */
  readonly watched: WatchedWorkloads;
  /** Deployments to be read because a Rollout that refers to them was added, changed or removed: `namespace/name`. */
  readonly referencedDeployments: KeyQueue;
  /**
   * Whether the record of a workload may lack what the Rollouts that refer to it say, until it has been read. They may
   * hold it, so nothing is restarted on the word of such a record.
   */
  readonly isOutdated: (record: WorkloadRecord) => boolean;
  /** Decodes an object as the watches do. Throws a MalformedObjectError. */
  readonly read: (kind: WorkloadKindName, object: unknown) => WorkloadRecord;
  /** Takes over an object that was read by name, for example after a conflict, if its namespace is selected. */
  readonly refresh: (record: WorkloadRecord) => void;
}

export interface WorkloadEvents {
  readonly onChange: (workload: TrackedWorkload) => void;
  readonly onSeen: (workload: TrackedWorkload) => void;
  readonly onLeft: (former: TrackedWorkload) => void;
  readonly onUntracked: (workload: Pick<TrackedWorkload, 'key' | 'record'>) => void;
  readonly onGone: (key: WorkloadKey, uid: string) => void;
  /** Called for each workload of each list and watch event, before anything else learns of it. */
  readonly onRead: (record: WorkloadRecord, object: unknown) => void;
  /** The time since which no other replica writes, by the API server's clock; undefined: this replica does not lead. */
  readonly leadingSinceMs: () => number | undefined;
  /** Called when a list shows that etcd was restored; `version` is that of the older object. */
  readonly onRestored: (version: string) => void;
}

export function buildWorkloads(base: EngineBase, events: WorkloadEvents): WorkloadParts {
  const { deps, settings, keys } = base;
  const { client, clock, logger } = deps;
  const { policy, annotationKeys, dryRun, namespaceSelector } = settings;
  const scope: NamespaceScope = new NamespaceScope({
    ...{ clock, logger, selector: namespaceSelector },
    forget: (namespace) => index.forgetNamespace(namespace),
  });
  const index: WorkloadIndex = new WorkloadIndex({
    ...{ clock, keys, policy, annotationKeys, ignoreStored: dryRun },
    selectedSinceMs: (namespace) => scope.selectedSinceMs(namespace),
    ...events,
  });
  const sink: WorkloadRefsOptions['workloads']['sink'] = (kind, namespace, onSynced) =>
    scope.workloadSink(kind, index.sink(kind, namespace, onSynced));
  const refs = new WorkloadRefs({
    ...{ annotationKeys, policy, nodePoolLabel: settings.pace.nodePoolLabel },
    workloads: {
      sink,
      seeAnew: (key) => index.seeAnew(key),
    },
    onReference: (deployment) => referencedDeployments.add(deployment),
  });
  const reader = new ReferencedDeploymentReader({ client, logger, refs, workloads: index });
  const referencedDeployments = new KeyQueue({
    ...queueOptions(base),
    process: async (key) => await reader.process(key),
  });
  const isOutdated = ({ kind, namespace, name }: WorkloadRecord): boolean =>
    kind === 'Deployment' && referencedDeployments.standing(objectKey(namespace, name)) !== undefined;
  const read = (kind: WorkloadKindName, object: unknown): WorkloadRecord => refs.joined(refs.read(kind, object));
  const refresh = (record: WorkloadRecord): void =>
    sink(record.kind, undefined, () => undefined).upsert(record, 'list');
  const watched: WatchedWorkloads = {
    sink: (kind, namespace, onSynced) => {
      const taken = refs.sink(kind, namespace, onSynced);
      return {
        ...taken,
        upsert: (record, origin) => {
          // All is listed anew then, this workload included.
          if (origin === 'list' && index.hasShownLater(record)) events.onRestored(record.resourceVersion);
          else taken.upsert(record, origin);
        },
        remove: (key, uid, version) => {
          if (kind === 'Deployment') reader.removed(key);
          taken.remove(key, uid, version);
        },
      };
    },
    read: (kind, object) => {
      const record = refs.read(kind, object);
      events.onRead(record, object);
      return record;
    },
  };
  return { scope, index, refs, watched, referencedDeployments, isOutdated, read, refresh };
}
