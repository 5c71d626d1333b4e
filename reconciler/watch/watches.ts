import type { SourceRef } from '../../shared/domain/sources/source';
import { workloadKinds } from '../../shared/domain/kubernetes/workload-kinds';
import { ForbiddenError, NotFoundError } from '../../shared/kube/errors';
import { isRbacForbidden } from '../../shared/kube/client/permission-probe';
import type { ReflectorStatus } from '../../shared/kube/list-watch/reflector';
import { namespaces, resourceName, type Resource } from '../../shared/kube/resource';
import { csiAddOn, workloadAddOn, type AddOn } from './add-ons';
import { KindsByPlace, type SourcePlace } from './kinds-by-place';
import {
  installHoldWatches,
  namespaceWatches,
  sourceWatches,
  workloadWatch,
  type Watch,
  type WatchedSourceKind,
  type WatchesOptions,
} from './list-watches';

export interface WatchStatus extends ReflectorStatus {
  /** Such as `secrets` or `secrets in shop`. */
  readonly name: string;
  readonly resource: Resource;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** Part of an add-on that may be installed at any time, so nothing waits for it. */
  readonly optional: boolean;
  /** It shows which namespaces are selected: without it, none is. */
  readonly isScope: boolean;
}

/** A kind of sources that Reroll may not list in `namespace`; if undefined, in any namespace. */
export type RefusedSources = SourcePlace<WatchedSourceKind>;

/** Whether the source is of a kind that Reroll may not list in its namespace. */
export function isAmong(refused: readonly RefusedSources[], source: SourceRef): boolean {
  return refused.some(
    ({ kind, namespace = source.namespace }) => kind === source.kind && namespace === source.namespace,
  );
}

/** `refused`: some lists are not allowed, and the others are complete. */
type Standing = 'known' | 'refused' | 'unknown';

/** Something that may keep restarts from beginning, and that Reroll may not list. */
export interface RefusedGate {
  readonly what: 'namespaces' | 'install-hold';
  readonly error: ForbiddenError;
}

/** The list-watches of everything that a decision depends on, one per resource and watched namespace. */
export class Watches {
  readonly #watches: readonly Watch[];
  /** Those that show what may keep restarts from beginning. */
  readonly #gates: readonly Watch[];
  readonly #addOns: readonly AddOn[];
  readonly #csi: AddOn | undefined;
  readonly #wholeLists: boolean;
  #stopped = false;

  constructor(options: WatchesOptions) {
    this.#wholeLists = options.wholeLists;
    const places = options.namespaces.length === 0 ? [undefined] : options.namespaces;
    const { workloads } = options;
    const rows = workloadKinds.filter(({ kind }) => !options.policy.ignoredWorkloadKinds.includes(kind));
    const builtIn = rows.filter(({ optional }) => !optional);
    this.#watches = [
      // Started first: otherwise every workload would be held until its namespace is known.
      ...namespaceWatches(options),
      ...installHoldWatches(options),
      ...places.flatMap((namespace) => [
        ...sourceWatches(options, namespace),
        ...(workloads ? builtIn.map((row) => workloadWatch(options, workloads, row, namespace)) : []),
      ]),
    ];
    this.#gates = this.#watches.filter(({ isGate }) => isGate === true);
    const optional = rows.filter((row) => row.optional);
    const addOns = workloads ? optional.map((row) => workloadAddOn(options, workloads, row, places)) : [];
    this.#csi = options.csi && csiAddOn(options, options.csi, places);
    this.#addOns = this.#csi ? [...addOns, this.#csi] : addOns;
  }

  start(): void {
    for (const { reflector } of this.#watches) reflector.start(this.#wholeLists);
    for (const { watch } of this.#addOns) watch.start();
  }

  /**
   * Lists all sources again; until then none is known. After another replica led, a watch that hangs would show states
   * from before that replica's actions. `whole` includes contents, even of sources that have not changed.
   */
  async listSourcesAgain(whole = false): Promise<void> {
    const sources = this.#watches.filter(({ sourceKind, reflector }) => sourceKind && reflector.status.synced);
    await this.#listAgain(sources, this.#csi ? [this.#csi] : [], whole);
  }

  /** Lists again what may keep restarts from beginning, even if a list is under way: it may have begun too early. */
  async listGatesAgain(): Promise<void> {
    await this.#listAgain(this.#gates, []);
  }

  /**
   * Lists everything again: after a restore of etcd, an older watch shows nothing. A list that is under way begins again,
   * because what it has shown so far may be undone.
   */
  async listAllAgain(): Promise<void> {
    await this.#listAgain(this.#watches, this.#addOns);
  }

  async #listAgain(watches: readonly Watch[], addOns: readonly AddOn[], whole = false): Promise<void> {
    await Promise.all([
      ...watches.map(async ({ reflector }) => {
        await reflector.stop();
        if (!this.#stopped) reflector.start(whole || this.#wholeLists);
      }),
      ...addOns.map(async ({ watch }) => await watch.listAgain()),
    ]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([
      ...this.#watches.map(async ({ reflector }) => await reflector.stop()),
      ...this.#addOns.map(async ({ watch }) => await watch.stop()),
    ]);
  }

  /**
   * Kinds of sources, with the places where their watches have been complete once. Nothing may be concluded about other
   * kinds, nor about a kind in another namespace.
   */
  knownKinds(): KindsByPlace {
    const sources = this.#watches.flatMap(({ sourceKind: kind, namespace, reflector }): readonly SourcePlace[] =>
      kind && isSynced(reflector.status) ? [{ kind, namespace }] : [],
    );
    return new KindsByPlace([...sources, ...this.#knownClasses()]);
  }

  /** SecretProviderClasses are known where both classes and pod statuses are. */
  #knownClasses(): readonly SourcePlace[] {
    const { watch, watches } = this.#csi ?? noAddOn;
    if (!watch?.served) return [];
    const places = new Set(watches.map(({ namespace }) => namespace));
    for (const { namespace, reflector } of watches) if (!isSynced(reflector.status)) places.delete(namespace);
    return [...places].map((namespace) => ({ kind: 'SecretProviderClass', namespace }));
  }

  /**
   * Whether every watch of sources has been complete once, or is refused. Acting on half of the sources would restart a
   * workload twice for changes made while Reroll was down. Workloads are not awaited: each is handled when it is seen.
   */
  hasSynced(): boolean {
    return this.sourcesStanding() !== 'unknown';
  }

  /** `refused`: some sources may not be listed, and the others are known. */
  sourcesStanding(): Standing {
    const ofSources = this.#watches.filter(({ sourceKind }) => sourceKind);
    return standingOf(ofSources, isRefused);
  }

  /** `refused`: some of what may keep restarts from beginning may not be listed, and the rest is known. */
  gatesStanding(): Standing {
    return standingOf(this.#gates, ({ state, lastError }) => state !== 'stopped' && isRbacForbidden(lastError));
  }

  /** What keeps no restart from beginning because the permission to list it is missing. */
  refusedGates(): readonly RefusedGate[] {
    return this.#gates.flatMap(({ resource, reflector: { status } }) => {
      const { lastError: error } = status;
      const what = resource === namespaces ? 'namespaces' : 'install-hold';
      return !status.synced && isRbacForbidden(error) ? [{ what, error }] : [];
    });
  }

  /**
   * Whether every workload is known, except those that Reroll may not list and those of add-ons. A kind of Kubernetes itself
   * is not found only for a moment.
   */
  hasListedWorkloads(): boolean {
    return this.#watches.every(
      ({ sourceKind, reflector: { status } }) =>
        sourceKind || isSynced(status) || status.lastError instanceof ForbiddenError,
    );
  }

  /** Sources that were never listed completely, because the permission is missing. */
  refusedSources(): readonly RefusedSources[] {
    return this.#watches.flatMap(({ sourceKind: kind, namespace, reflector: { status } }) =>
      kind && !status.synced && isRbacForbidden(status.lastError) ? [{ kind, namespace }] : [],
    );
  }

  /** All current watches. An add-on that is not installed is not included. */
  statuses(): readonly WatchStatus[] {
    return [
      ...this.#watches.map((watch) => statusOf(watch, false)),
      ...this.#addOns
        .filter(({ watch }) => watch.served)
        .flatMap(({ watches }) => watches.map((watch) => statusOf(watch, true))),
    ];
  }
}

const noAddOn = { watch: undefined, watches: [] };

function statusOf(
  { resource, namespace, name: ownName, isScope = false, reflector }: Watch,
  optional: boolean,
): WatchStatus {
  const name = (ownName ?? resourceName(resource)) + (namespace === undefined ? '' : ` in ${namespace}`);
  return { ...reflector.status, resource, namespace, name, optional, isScope };
}

/** What it learnt before it was stopped does not count: it is about to list again. */
function standingOf(
  watches: readonly Pick<Watch, 'reflector'>[],
  isRefused: (status: ReflectorStatus) => boolean,
): Standing {
  const unknown = watches.map(({ reflector }) => reflector.status).filter((status) => !isSynced(status));
  if (unknown.length === 0) return 'known';
  return unknown.every(isRefused) ? 'refused' : 'unknown';
}

function isSynced({ synced, state }: ReflectorStatus): boolean {
  return synced && state !== 'stopped';
}

/** Whether a permission or the API is missing. This may last, and the rest must continue. */
export function isRefused({ lastError }: ReflectorStatus): boolean {
  return lastError instanceof ForbiddenError || lastError instanceof NotFoundError;
}
