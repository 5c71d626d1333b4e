import { installHoldName } from '../../shared/domain/annotations/annotations';
import type { SourceKind } from '../../shared/domain/sources/source';
import type { SourceDigester } from '../../shared/domain/sources/content-digest';
import type { WorkloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { Decoder } from '../../shared/kube/wire/decoder';
import {
  csiClassDecoder,
  csiPodStatusDecoder,
  secretProviderClasses,
  secretProviderClassPodStatuses,
} from '../../shared/kube/sources/csi-decoder';
import type { ReflectorObserver } from '../../shared/kube/observers';
import { Reflector, type ReflectorDeps, type ReflectorSink } from '../../shared/kube/list-watch/reflector';
import { configMaps, namespaces, type Resource } from '../../shared/kube/resource';
import { sourceDecoder, sourceResources } from '../../shared/kube/sources/source-decoder';
import type { CsiRotations } from '../sources/csi-rotations';
import type { EngineSettings } from '../options/engine-settings';
import { installHoldDecoder, type HeldInstall } from '../gates/held-install';
import type { NamespaceGates } from '../gates/namespace-gates';
import { namespaceDecoder, type NamespaceRecord } from '../workloads/namespace-record';
import type { NamespaceScope } from '../workloads/namespace-scope';
import type { SourceIndex } from '../sources/source-index';
import type { WorkloadRefs } from '../workloads/workload-refs';
import { workloadDecoder } from '../workloads/workload-decoder';

/** The kinds of sources that are watched. A new kind is a new row. */
export const watchedSourceKinds = ['ConfigMap', 'Secret'] as const satisfies readonly SourceKind[];
export type WatchedSourceKind = (typeof watchedSourceKinds)[number];

/** Decodes and receives the workloads. */
export type WatchedWorkloads = Pick<WorkloadRefs, 'sink' | 'read'>;

/** Receives classes and pod statuses. */
export type WatchedRotations = Pick<CsiRotations, 'classSink' | 'statusSink' | 'forgetStatuses'>;

/** Receives what keeps restarts from beginning, besides what workloads and sources say themselves. */
export interface WatchedGates {
  readonly namespaces: Pick<NamespaceGates, 'sink'>;
  readonly heldInstall: Pick<HeldInstall, 'sink'>;
  readonly ownNamespace: string;
}

type WatchedSettings = Pick<
  EngineSettings,
  | 'annotationKeys'
  | 'policy'
  | 'ignoredSourceKind'
  | 'namespaces'
  | 'namespacesToIgnore'
  | 'namespaceSelector'
  | 'sourceSelector'
>;

export interface WatchesOptions extends WatchedSettings {
  readonly deps: Omit<ReflectorDeps, 'observer'>;
  readonly digester: SourceDigester;
  readonly scope: Pick<NamespaceScope, 'isEverything' | 'namespaceSink'>;
  readonly sources: Pick<SourceIndex, 'sink'>;
  /** Undefined if SecretProviderClasses are not watched. */
  readonly csi: WatchedRotations | undefined;
  /** Undefined if workloads are not watched. */
  readonly workloads: WatchedWorkloads | undefined;
  /** Undefined if nothing is restarted. */
  readonly gates: WatchedGates | undefined;
  /** Whether lists include the contents of sources, too. */
  readonly wholeLists: boolean;
  /** A first list is complete, or a watch was refused: what is known may have changed. */
  readonly onProgress: () => void;
  /** The API of an add-on was removed. */
  readonly onLost: (resource: Resource) => void;
  readonly observer: (resource: Resource) => ReflectorObserver;
}

/** The list-watch of one resource, in one namespace or in all. */
export interface Watch {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly sourceKind: WatchedSourceKind | undefined;
  /** It shows which namespaces are selected: without it, none is. */
  readonly isScope?: boolean;
  /** It shows what may keep restarts from beginning, so none begins before its first list is complete. */
  readonly isGate?: boolean;
  /** For people, if the resource does not say it. */
  readonly name?: string;
  readonly reflector: Pick<Reflector<unknown>, 'start' | 'stop' | 'status'>;
}

export function namespaceWatches(options: WatchesOptions): readonly Watch[] {
  const { scope, gates, namespaceSelector, onProgress } = options;
  const ofScope = scope.isEverything ? [] : [scope.namespaceSink(onProgress)];
  // Where single namespaces are watched, there is no right to see others, and their annotations do not count.
  const ofGates = gates && options.namespaces.length === 0 ? [gates.namespaces.sink(onProgress)] : [];
  const [first, second] = [...ofScope, ...ofGates];
  if (!first) return [];
  const [resource, decoder] = [namespaces, namespaceDecoder(namespaceSelector)];
  const sink = second ? bothSinks(first, second) : first;
  // All namespaces, not only the selected ones: the write before the one that selects a namespace is needed to date it.
  const reflector = new Reflector(deps(options, resource), { resource, decoder, sink });
  const [isScope, isGate] = [ofScope.length > 0, ofGates.length > 0];
  return [{ resource, namespace: undefined, sourceKind: undefined, isScope, isGate, reflector }];
}

/** `first` keeps all that it is shown, so it also knows what is gone. */
function bothSinks(
  first: ReflectorSink<NamespaceRecord>,
  second: ReflectorSink<NamespaceRecord>,
): ReflectorSink<NamespaceRecord> {
  return {
    upsert: (record, origin) => {
      first.upsert(record, origin);
      second.upsert(record, origin);
    },
    remove: (key, uid, version) => {
      first.remove(key, uid, version);
      second.remove(key, uid, version);
    },
    keys: () => first.keys(),
    synced: () => {
      first.synced();
      second.synced();
    },
  };
}

/** The ConfigMap that holds everything. */
export function installHoldWatches(options: WatchesOptions): readonly Watch[] {
  const { gates, onProgress } = options;
  if (!gates) return [];
  const { heldInstall, ownNamespace: namespace } = gates;
  // Its metrics are not those of the watch of all ConfigMaps, which a flag may exclude.
  const resource = { ...configMaps, plural: installHoldName };
  const reflector = new Reflector(deps(options, resource), {
    ...{ resource: configMaps, namespace, decoder: installHoldDecoder, sink: heldInstall.sink(onProgress) },
    // The watch selects the name, so a Role may be restricted to that name.
    fieldSelector: `metadata.name=${installHoldName}`,
  });
  const name = `configmap ${installHoldName}`;
  return [{ resource, namespace, sourceKind: undefined, isGate: true, name, reflector }];
}

export function sourceWatches(options: WatchesOptions, namespace: string | undefined): readonly Watch[] {
  const { annotationKeys, digester, ignoredSourceKind, sources, sourceSelector, onProgress } = options;
  const labels = sourceSelector.isEverything ? {} : { labelSelector: sourceSelector.text };
  return watchedSourceKinds
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

export function workloadWatch(
  options: WatchesOptions,
  workloads: WatchedWorkloads,
  row: WorkloadKind,
  namespace: string | undefined,
): Watch {
  const decoder = workloadDecoder((object) => workloads.read(row.kind, object), options.annotationKeys);
  const sink = workloads.sink(row.kind, namespace, options.onProgress);
  const { resource } = row;
  const reflector = new Reflector(deps(options, resource), { resource, decoder, sink, ...within(options, namespace) });
  return { resource, namespace, sourceKind: undefined, reflector };
}

/** Classes and pod statuses. They ignore the source selector, because the CSI driver sets the labels of statuses. */
export function csiWatches(
  options: WatchesOptions,
  csi: WatchedRotations,
  namespace: string | undefined,
): readonly Watch[] {
  const { onProgress, annotationKeys, digester } = options;
  const watch = <T>(resource: Resource, decoder: Decoder<T>, sink: ReflectorSink<T>): Watch => {
    const wanted = within(options, namespace);
    const reflector = new Reflector(deps(options, resource), { resource, decoder, sink, ...wanted });
    return { resource, namespace, sourceKind: undefined, reflector };
  };
  return [
    watch(secretProviderClasses, csiClassDecoder(annotationKeys), csi.classSink(namespace, onProgress)),
    watch(secretProviderClassPodStatuses, csiPodStatusDecoder(digester), csi.statusSink(namespace, onProgress)),
  ];
}

/** The API server excludes ignored namespaces: nothing of them is sent. */
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
