import type { SourceKind } from '../shared/domain/source';
import type { AnnotationKeys } from '../shared/domain/annotations';
import type { ContentDigester } from '../shared/domain/content-digest';
import type { PolicySettings } from '../shared/domain/policy';
import type { Selector } from '../shared/domain/selector';
import { workloadKinds } from '../shared/domain/workload-kinds';
import { ForbiddenError, NotFoundError } from '../shared/kube/errors';
import type { ReflectorObserver } from '../shared/kube/observers';
import { Reflector, type ReflectorDeps, type ReflectorStatus } from '../shared/kube/reflector';
import { configMaps, namespaces, resourceName, secrets, type Resource } from '../shared/kube/resource';
import { sourceDecoder } from '../shared/kube/source-decoder';
import { namespaceDecoder } from './namespace-decoder';
import type { NamespaceScope } from './namespace-scope';
import type { SourceIndex } from './source-index';
import { workloadDecoder } from './workload-decoder';
import type { WorkloadIndex } from './workload-index';

/** Kinds of sources that are watched, and where. A new kind is a new row. */
const sourceResources = { ConfigMap: configMaps, Secret: secrets } as const;
type WatchedSourceKind = keyof typeof sourceResources;

export interface WatchesOptions {
  readonly deps: Omit<ReflectorDeps, 'observer'>;
  readonly digester: ContentDigester;
  readonly annotationKeys: AnnotationKeys;
  readonly policy: PolicySettings;
  readonly ignoredSourceKind: SourceKind | undefined;
  /** Empty: the whole cluster. */
  readonly namespaces: readonly string[];
  readonly namespacesToIgnore: readonly string[];
  readonly namespaceSelector: Selector;
  readonly sourceSelector: Selector;
  readonly scope: NamespaceScope;
  readonly sources: SourceIndex;
  /** Undefined: workloads are of no concern. */
  readonly workloads: WorkloadIndex | undefined;
  /** A first list is complete, or a watch was refused: what is known may have changed. */
  readonly onProgress: () => void;
  readonly observer: (resource: Resource) => ReflectorObserver;
}

interface Watch {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly sourceKind: SourceKind | undefined;
  readonly reflector: Pick<Reflector<unknown>, 'start' | 'stop' | 'status'>;
}

export interface WatchStatus extends ReflectorStatus {
  /** `secrets` or `secrets in shop`. */
  readonly name: string;
  readonly resource: Resource;
}

/** The list-watches of everything that a decision rests on, one for each resource and namespace watched. */
export class Watches {
  readonly #watches: readonly Watch[];
  #stopped = false;

  constructor(options: WatchesOptions) {
    const places = options.namespaces.length === 0 ? [undefined] : options.namespaces;
    this.#watches = [
      // First, or every workload would have to wait at the gate.
      ...namespaceWatches(options),
      ...places.flatMap((namespace) => [...sourceWatches(options, namespace), ...workloadWatches(options, namespace)]),
    ];
  }

  start(): void {
    for (const { reflector } of this.#watches) reflector.start();
  }

  /**
   * Lists all sources anew, and until then knows none: after a time in which somebody else was in charge, a watch that
   * hangs would show states from before what the other has already acted on.
   */
  async listSourcesAgain(): Promise<void> {
    const synced = this.#watches.filter(({ sourceKind, reflector }) => sourceKind && reflector.status.synced);
    await Promise.all(
      synced.map(async ({ reflector }) => {
        await reflector.stop();
        if (!this.#stopped) reflector.start();
      }),
    );
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#watches.map(async ({ reflector }) => await reflector.stop()));
  }

  /** Kinds of sources of which every watch has been complete once: of the others nothing may be concluded. */
  knownKinds(): ReadonlySet<SourceKind> {
    const kinds = new Set(this.#watches.flatMap(({ sourceKind }) => sourceKind ?? []));
    for (const { sourceKind, reflector } of this.#watches) {
      if (sourceKind && !isSynced(reflector.status)) kinds.delete(sourceKind);
    }
    return kinds;
  }

  /**
   * Whether it is time to act: every watch of sources has been complete once, or cannot be. Acting on half of the
   * sources would restart a workload twice for what changed while nobody watched. Kinds of workloads are not waited for:
   * each is acted on as it is seen.
   */
  settled(): boolean {
    return this.#watches.every(
      ({ sourceKind, reflector }) => !sourceKind || isSynced(reflector.status) || isRefused(reflector.status),
    );
  }

  statuses(): readonly WatchStatus[] {
    return this.#watches.map(({ resource, namespace, reflector }) => ({
      ...reflector.status,
      resource,
      name: resourceName(resource) + (namespace === undefined ? '' : ` in ${namespace}`),
    }));
  }
}

/** What it learnt before it was stopped does not count: it is about to list anew. */
function isSynced({ synced, state }: ReflectorStatus): boolean {
  return synced && state !== 'stopped';
}

/** Missing rights or a missing API: it may last, and the rest must go on. */
export function isRefused({ lastError }: ReflectorStatus): boolean {
  return lastError instanceof ForbiddenError || lastError instanceof NotFoundError;
}

function namespaceWatches(options: WatchesOptions): readonly Watch[] {
  const { scope, namespaceSelector, onProgress } = options;
  if (scope.isEverything) return [];
  const [resource, decoder, sink] = [namespaces, namespaceDecoder, scope.namespaceSink(onProgress)];
  const labelSelector = namespaceSelector.text;
  const reflector = new Reflector(deps(options, resource), { resource, decoder, sink, labelSelector });
  return [{ resource, namespace: undefined, sourceKind: undefined, reflector }];
}

function sourceWatches(options: WatchesOptions, namespace: string | undefined): readonly Watch[] {
  const { annotationKeys, digester, ignoredSourceKind, sources, sourceSelector, onProgress } = options;
  const labels = sourceSelector.isEverything ? {} : { labelSelector: sourceSelector.text };
  const kinds = Object.keys(sourceResources) as WatchedSourceKind[];
  return kinds
    .filter((kind) => kind !== ignoredSourceKind)
    .map((sourceKind) => {
      const resource = sourceResources[sourceKind];
      const decoder = sourceDecoder(sourceKind, digester, annotationKeys);
      const sink = sources.sink(sourceKind, namespace, onProgress);
      const wanted = { ...within(options, namespace), ...labels };
      const reflector = new Reflector(deps(options, resource), { resource, decoder, sink, ...wanted });
      return { resource, namespace, sourceKind, reflector };
    });
}

function workloadWatches(options: WatchesOptions, namespace: string | undefined): readonly Watch[] {
  const { annotationKeys, policy, scope, workloads, onProgress } = options;
  if (!workloads) return [];
  return workloadKinds
    .filter(({ kind }) => !policy.ignoredWorkloadKinds.includes(kind))
    .map((row) => {
      const decoder = workloadDecoder(row, annotationKeys, policy);
      const sink = scope.workloadSink(row.kind, workloads.sink(row.kind, namespace, onProgress));
      const { resource } = row;
      const wanted = within(options, namespace);
      const reflector = new Reflector(deps(options, resource), { resource, decoder, sink, ...wanted });
      return { resource, namespace, sourceKind: undefined, reflector };
    });
}

/** The API server leaves out what is ignored: nothing of it is sent. */
function within(
  { namespacesToIgnore }: WatchesOptions,
  namespace: string | undefined,
): { readonly namespace?: string; readonly fieldSelector?: string } {
  if (namespace !== undefined) return { namespace };
  if (namespacesToIgnore.length === 0) return {};
  return { fieldSelector: namespacesToIgnore.map((ignored) => `metadata.namespace!=${ignored}`).join(',') };
}

function deps({ deps, observer, onProgress }: WatchesOptions, resource: Resource): ReflectorDeps {
  const observed = observer(resource);
  return {
    ...deps,
    observer: {
      ...observed,
      reconnected: (reason) => {
        observed.reconnected(reason);
        if (reason === 'refused') onProgress();
      },
    },
  };
}
