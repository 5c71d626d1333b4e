import type { SourceKind } from '../shared/domain/source';
import type { AnnotationKeys } from '../shared/domain/annotations';
import type { ContentDigester } from '../shared/domain/content-digest';
import type { PolicySettings } from '../shared/domain/policy';
import type { Selector } from '../shared/domain/selector';
import { workloadKinds, type WorkloadKind } from '../shared/domain/workload-kinds';
import { ForbiddenError, NotFoundError } from '../shared/kube/errors';
import type { ReflectorObserver } from '../shared/kube/observers';
import { Reflector, type ReflectorDeps, type ReflectorSink, type ReflectorStatus } from '../shared/kube/reflector';
import type { Decoder } from '../shared/kube/decoder';
import {
  csiClassDecoder,
  csiPodStatusDecoder,
  secretProviderClasses,
  secretProviderClassPodStatuses,
} from '../shared/kube/csi-decoder';
import { configMaps, namespaces, resourceName, secrets, type Resource } from '../shared/kube/resource';
import { sourceDecoder } from '../shared/kube/source-decoder';
import type { CsiRotations } from './csi-rotations';
import { namespaceDecoder } from './namespace-decoder';
import type { NamespaceScope } from './namespace-scope';
import { OptionalWatch } from './optional-watch';
import type { SourceIndex } from './source-index';
import type { TemplateLoans } from './template-loans';
import { workloadDecoder } from './workload-decoder';

/** Kinds of sources that are watched, and where. A new kind is a new row. */
const sourceResources = { ConfigMap: configMaps, Secret: secrets } as const;
type WatchedSourceKind = keyof typeof sourceResources;

/** Where workloads go, and how they are read. */
type WatchedWorkloads = Pick<TemplateLoans, 'sink' | 'read'>;

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
  /** Undefined: SecretProviderClasses are not watched. */
  readonly csi: CsiRotations | undefined;
  /** Undefined: workloads are of no concern. */
  readonly workloads: WatchedWorkloads | undefined;
  /** A first list is complete, or a watch was refused: what is known may have changed. */
  readonly onProgress: () => void;
  /** An API that comes with an add-on is gone. */
  readonly onLost: (resource: Resource) => void;
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
  /** Of an add-on that may come at any time: nothing waits for it. */
  readonly optional: boolean;
}

/** The list-watches of everything that a decision rests on, one for each resource and namespace watched. */
export class Watches {
  readonly #watches: readonly Watch[];
  readonly #addOns: readonly AddOn[];
  readonly #csi: AddOn | undefined;
  #stopped = false;

  constructor(options: WatchesOptions) {
    const places = options.namespaces.length === 0 ? [undefined] : options.namespaces;
    const { workloads } = options;
    const rows = workloadKinds.filter(({ kind }) => !options.policy.ignoredWorkloadKinds.includes(kind));
    const builtIn = rows.filter(({ optional }) => !optional);
    this.#watches = [
      // First, or every workload would have to wait at the gate.
      ...namespaceWatches(options),
      ...places.flatMap((namespace) => [
        ...sourceWatches(options, namespace),
        ...(workloads ? builtIn.map((row) => workloadWatch(options, workloads, row, namespace)) : []),
      ]),
    ];
    const optional = rows.filter((row) => row.optional);
    const addOns = workloads ? optional.map((row) => workloadAddOn(options, workloads, row, places)) : [];
    this.#csi = options.csi && csiAddOn(options, options.csi, places);
    this.#addOns = this.#csi ? [...addOns, this.#csi] : addOns;
  }

  start(): void {
    for (const { reflector } of this.#watches) reflector.start();
    for (const { watch } of this.#addOns) watch.start();
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
    await Promise.all([
      ...this.#watches.map(async ({ reflector }) => await reflector.stop()),
      ...this.#addOns.map(async ({ watch }) => await watch.stop()),
    ]);
  }

  /** Kinds of sources of which every watch has been complete once: of the others nothing may be concluded. */
  knownKinds(): ReadonlySet<SourceKind> {
    const kinds = new Set(this.#watches.flatMap(({ sourceKind }) => sourceKind ?? []));
    for (const { sourceKind, reflector } of this.#watches) {
      if (sourceKind && !isSynced(reflector.status)) kinds.delete(sourceKind);
    }
    const { watch, watches } = this.#csi ?? noAddOn;
    if (watch?.served && watches.every(({ reflector }) => isSynced(reflector.status))) kinds.add('SecretProviderClass');
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

  /** Of what is watched now: an add-on that is not installed is not among them. */
  statuses(): readonly WatchStatus[] {
    return [
      ...this.#watches.map((watch) => statusOf(watch, false)),
      ...this.#addOns
        .filter(({ watch }) => watch.served)
        .flatMap(({ watches }) => watches.map((watch) => statusOf(watch, true))),
    ];
  }
}

/** Namespaces to watch one by one; undefined: the whole cluster at once. */
type Places = readonly (string | undefined)[];

/** A kind whose API may be missing, in all namespaces watched. */
interface AddOn {
  readonly watch: OptionalWatch;
  readonly watches: readonly Watch[];
}

const noAddOn = { watch: undefined, watches: [] };

function statusOf({ resource, namespace, reflector }: Watch, optional: boolean): WatchStatus {
  const name = resourceName(resource) + (namespace === undefined ? '' : ` in ${namespace}`);
  return { ...reflector.status, resource, name, optional };
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

function workloadWatch(
  options: WatchesOptions,
  workloads: WatchedWorkloads,
  row: WorkloadKind,
  namespace: string | undefined,
): Watch {
  const decoder = workloadDecoder((object) => workloads.read(row.kind, object));
  const sink = workloads.sink(row.kind, namespace, options.onProgress);
  const { resource } = row;
  const reflector = new Reflector(deps(options, resource), { resource, decoder, sink, ...within(options, namespace) });
  return { resource, namespace, sourceKind: undefined, reflector };
}

function workloadAddOn(options: WatchesOptions, workloads: WatchedWorkloads, row: WorkloadKind, places: Places): AddOn {
  const forget = (): void => {
    for (const namespace of places) {
      const sink = workloads.sink(row.kind, namespace, () => undefined);
      for (const key of [...sink.keys()]) sink.remove(key);
    }
  };
  const build = (noticing: WatchesOptions): readonly Watch[] =>
    places.map((namespace) => workloadWatch(noticing, workloads, row, namespace));
  return addOn(options, row.resource, build, forget);
}

/** Its classes and the statuses of its pods are one API: they come and go together. */
function csiAddOn(options: WatchesOptions, csi: CsiRotations, places: Places): AddOn {
  const build = (noticing: WatchesOptions): readonly Watch[] =>
    places.flatMap((namespace) => {
      const watch = <T>(resource: Resource, decoder: Decoder<T>, sink: ReflectorSink<T>): Watch => {
        // Without the selector of sources: statuses have the labels that the driver gives them.
        const wanted = within(options, namespace);
        const reflector = new Reflector(deps(noticing, resource), { resource, decoder, sink, ...wanted });
        return { resource, namespace, sourceKind: undefined, reflector };
      };
      const { onProgress, annotationKeys, digester } = noticing;
      const classSink = csi.classSink(namespace, onProgress);
      const statusSink = csi.statusSink(namespace, onProgress);
      return [
        watch(secretProviderClasses, csiClassDecoder(annotationKeys), classSink),
        watch(secretProviderClassPodStatuses, csiPodStatusDecoder(digester), statusSink),
      ];
    });
  return addOn(options, secretProviderClassPodStatuses, build, () => csi.forgetStatuses());
}

function addOn(
  options: WatchesOptions,
  resource: Resource,
  build: (noticing: WatchesOptions) => readonly Watch[],
  forget: () => void,
): AddOn {
  const onProgress = (): void => {
    watch.refused();
    options.onProgress();
  };
  const watches = build({ ...options, onProgress });
  const watch = new OptionalWatch({
    ...{ deps: options.deps, resource },
    reflectors: watches.map(({ reflector }) => reflector),
    onLost: () => {
      forget();
      for (const { resource } of watches) options.onLost(resource);
      options.onProgress();
    },
  });
  return { watch, watches };
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
