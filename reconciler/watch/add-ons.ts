import type { WorkloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { secretProviderClassPodStatuses } from '../../shared/kube/sources/csi-decoder';
import type { Resource } from '../../shared/kube/resource';
import {
  csiWatches,
  workloadWatch,
  type Watch,
  type WatchedRotations,
  type WatchedWorkloads,
  type WatchesOptions,
} from './list-watches';
import { OptionalWatch } from './optional-watch';

/** Namespaces to watch one by one; undefined is the whole cluster at once. */
type Places = readonly (string | undefined)[];

/** A kind whose API may be missing, in all watched namespaces. */
export interface AddOn {
  readonly watch: OptionalWatch;
  readonly watches: readonly Watch[];
}

export function workloadAddOn(
  options: WatchesOptions,
  workloads: WatchedWorkloads,
  row: WorkloadKind,
  places: Places,
): AddOn {
  const forget = (): void => {
    for (const namespace of places) {
      const sink = workloads.sink(row.kind, namespace, () => undefined);
      for (const key of [...sink.keys()]) sink.remove(key);
    }
  };
  const build = (observed: WatchesOptions): readonly Watch[] =>
    places.map((namespace) => workloadWatch(observed, workloads, row, namespace));
  return addOn(options, row.resource, build, forget);
}

/** Classes and pod statuses are one add-on: they are installed and removed together. */
export function csiAddOn(options: WatchesOptions, csi: WatchedRotations, places: Places): AddOn {
  const build = (observed: WatchesOptions): readonly Watch[] =>
    places.flatMap((namespace) => csiWatches(observed, csi, namespace));
  return addOn(options, secretProviderClassPodStatuses, build, () => csi.forgetStatuses());
}

function addOn(
  options: WatchesOptions,
  resource: Resource,
  build: (observed: WatchesOptions) => readonly Watch[],
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
