import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { AdoptionRateLimiter } from '../../reconciler/worker/adoption-rate-limiter';
import { KeyQueue } from '../../reconciler/queue/key-queue';
import { Pauses } from '../../reconciler/worker/pauses';
import { SettleWindows } from '../../reconciler/worker/settle-window';
import { SourceIndex } from '../../reconciler/sources/source-index';
import { Worker } from '../../reconciler/worker/worker';
import { WorkloadIndex } from '../../reconciler/workloads/workload-index';
import { ContentDigest, ContentDigester } from '../../shared/domain/sources/content-digest';
import { everything } from '../../shared/domain/kubernetes/selector';
import { KubeClient, type KubeRequest } from '../../shared/kube/client/client';
import { Deadline } from '../../shared/kube/client/deadline';
import { LeaderElection } from '../../shared/kube/lease/lease';
import { EventRecorder } from '../../shared/kube/client/events';
import type { World } from './world';

/** A bug planted in the engine: a replaced method, or settings that differ from what the world's install says. */
export interface PlantedBug {
  readonly what: string;
  /** Only these worlds can show the bug. The others would only cost time. */
  readonly among?: (world: World) => boolean;
  readonly settings?: Partial<EngineSettings>;
  readonly plant?: () => void;
}

type Method = (this: unknown, ...args: never[]) => unknown;

/** Replaces a method of a class. `make` gets the original. */
function replaced<T extends object>(type: { readonly prototype: T }, name: keyof T, make: (right: Method) => Method) {
  return (): void => {
    type.prototype[name] = make(type.prototype[name] as Method) as T[keyof T];
  };
}

/** Changes the body of every PATCH to a Deployment, StatefulSet or DaemonSet. */
function patchesChanged(change: (body: Record<string, unknown>) => Record<string, unknown>): () => void {
  return replaced(
    KubeClient,
    'request',
    (right) =>
      function (this: unknown, request: KubeRequest) {
        const isWorkload = request.method === 'PATCH' && request.path.startsWith('/apis/apps/');
        const body = isWorkload ? change(request.body as Record<string, unknown>) : request.body;
        return right.call(this, { ...request, body } as never);
      },
  );
}

function annotationsChanged(change: (annotations: Record<string, string>) => Record<string, string>): () => void {
  return patchesChanged((body) => {
    const metadata = body['metadata'] as { readonly annotations: Record<string, string> };
    return { ...body, metadata: { ...metadata, annotations: change({ ...metadata.annotations }) } };
  });
}

const baseline = 'reroll.dev/baseline';
let seenValue = '';

/** Each is found within 2,000 seeds, most within fifty. */
export const plantedBugs: readonly PlantedBug[] = [
  {
    what: 'the template is written without the baseline',
    plant: patchesChanged((body) =>
      body['spec'] === undefined ? body : { ...body, metadata: { ...(body['metadata'] as object), annotations: {} } },
    ),
  },
  {
    what: 'the baseline is written without the template',
    plant: patchesChanged(({ metadata }) => ({ metadata })),
  },
  {
    what: 'every baseline has the same number',
    plant: annotationsChanged((annotations) => ({
      ...annotations,
      [baseline]: (annotations[baseline] ?? '').replace(/"n":\d+/, '"n":1'),
    })),
  },
  {
    what: 'a restart also sets another field',
    plant: patchesChanged((body) =>
      body['spec'] === undefined ? body : { ...body, spec: { ...body['spec'], paused: true } },
    ),
  },
  {
    what: 'a write also sets a label',
    plant: patchesChanged((body) => ({
      ...body,
      metadata: { ...(body['metadata'] as object), labels: { by: 'reroll' } },
    })),
  },
  {
    what: 'values stand in an annotation',
    plant: () => {
      replaced(
        ContentDigester,
        'digest',
        (right) =>
          function (this: unknown, ...args: readonly [unknown, unknown, unknown, Iterable<readonly [string, Buffer]>]) {
            for (const [, value] of args[3]) seenValue = value.toString('utf8');
            return right.call(this, ...(args as unknown as never[]));
          } as Method,
      )();
      annotationsChanged((annotations) => ({
        ...annotations,
        'reroll.dev/last-restart': seenValue,
      }))();
    },
  },
  {
    what: 'whoever ever led goes on to write',
    among: ({ replicas }) => replicas > 1,
    plant: () => {
      replaced(
        LeaderElection,
        'start',
        (right) =>
          function (this: unknown, callbacks: object) {
            right.call(this, { ...callbacks, onStoppedLeading: () => undefined } as never);
          },
      )();
      replaced(LeaderElection, 'isLeader', () => () => true)();
    },
  },
  { what: 'replicas lead by Leases of their own', settings: { leaseName: 'other' } },
  { what: 'there is no settle window', plant: replaced(SettleWindows, 'remainingMs', () => () => 0) },
  { what: 'changes open no settle window', plant: replaced(SettleWindows, 'touch', () => () => undefined) },
  {
    what: 'the digest of a source is of its key names',
    plant: replaced(
      ContentDigest,
      'whole',
      () =>
        function (this: ContentDigest) {
          return this.keyNames.join('').padEnd(22, 'x').slice(0, 22);
        } as Method,
    ),
  },
  { what: 'the digest of a key is always the same', plant: replaced(ContentDigest, 'key', () => () => 'x'.repeat(22)) },
  { what: 'changes of content are not told from others', plant: replaced(ContentDigest, 'equals', () => () => true) },
  {
    what: 'only the first user of a source is looked at',
    plant: replaced(
      WorkloadIndex,
      'usersOf',
      (right) =>
        function (this: unknown, ...args: never[]) {
          return (right.call(this, ...args) as readonly unknown[]).slice(0, 1);
        },
    ),
  },
  { what: 'nobody uses a source', plant: replaced(WorkloadIndex, 'usersOf', () => () => []) },
  {
    what: 'nothing is looked at when a term begins',
    plant: replaced(WorkloadIndex, 'tracked', () => () => []),
  },
  {
    what: 'what fails is forgotten',
    plant: replaced(
      Worker,
      'process',
      (right) =>
        async function (this: unknown, ...args: never[]) {
          await right.call(this, ...args);
          return { kind: 'done' };
        },
    ),
  },
  { what: 'a workload is looked at once', plant: replaced(KeyQueue, 'add', oncePerKey) },
  {
    what: 'new workloads are compared with today’s content',
    plant: replaced(
      SourceIndex,
      'inForceAt',
      () =>
        function (this: SourceIndex, ...[source]: Parameters<SourceIndex['inForceAt']>) {
          return { content: this.get(source)?.content };
        } as Method,
    ),
  },
  { what: 'everything is in doubt', plant: replaced(SourceIndex, 'inForceAt', () => () => 'unknown') },
  { what: 'requests have no time limit', plant: replaced(Deadline, 'set', () => () => undefined) },
  { what: 'what was lost is not put back', plant: replaced(AdoptionRateLimiter, 'take', () => () => 3_600_000) },
  { what: 'Secrets are not watched', settings: { ignoredSourceKind: 'Secret' } },
  { what: 'one namespace is watched', settings: { namespaces: ['default'] } },
  { what: 'deletions restart', settings: { reloadOnDelete: true } },
  { what: 'creations restart', settings: { reloadOnCreate: true } },
  { what: 'a creation that is to restart does not', settings: { reloadOnCreate: false } },
  { what: 'a deletion that is to restart does not', settings: { reloadOnDelete: false } },
  { what: 'sources without the label count too', settings: { sourceSelector: everything } },
  { what: 'namespaces without the label are looked after', settings: { namespaceSelector: everything } },
  { what: 'namespaces are not left out by name', settings: { namespacesToIgnore: [] } },
  {
    what: 'namespaces are not watched one by one',
    settings: { namespaces: [] },
    among: ({ features }) => (features.scope?.namespaces.length ?? 0) > 0,
  },
  {
    what: 'no kind of sources is left out',
    settings: { ignoredSourceKind: undefined },
    among: ({ features }) => features.scope?.ignoredSourceKind !== undefined,
  },
  {
    what: 'no kind of workloads is left out',
    settings: { policy: { autoReloadAll: false, ignoredWorkloadKinds: [] } },
    among: ({ features }) => (features.scope?.ignoredWorkloadKinds.length ?? 0) > 0,
  },
  { what: 'what is held is not let go', plant: replaced(Pauses, 'reconcile', () => async () => ({ kind: 'done' })) },
  { what: 'nothing is held', plant: replaced(Pauses, 'pauseFor', () => () => undefined) },
  { what: 'everybody is opted in', settings: { policy: { autoReloadAll: true, ignoredWorkloadKinds: [] } } },
  {
    what: 'who says nothing is not opted in where all are',
    settings: { policy: { autoReloadAll: false, ignoredWorkloadKinds: [] } },
  },
  {
    what: 'DaemonSets are left out',
    settings: { policy: { autoReloadAll: false, ignoredWorkloadKinds: ['DaemonSet'] } },
  },
  {
    what: 'Events tell a value',
    plant: replaced(
      EventRecorder,
      'record',
      (right) =>
        function (this: unknown, event: object) {
          return right.call(this, { ...event, note: 'secret-1-', message: 'secret-1-' } as never);
        },
    ),
  },
];

/** Ignores a key that was added before. */
function oncePerKey(right: Method): Method {
  const seen = new WeakMap<object, Set<string>>();
  return function (this: object, key: string, ...rest: unknown[]) {
    const keys = seen.get(this) ?? new Set<string>();
    seen.set(this, keys);
    if (keys.has(key)) return;
    keys.add(key);
    right.call(this, ...([key, ...rest] as never[]));
  } as unknown as Method;
}
