import type { SourceRef } from '../../shared/domain/sources/source';
import { NamedSources } from '../reading/named-sources';
import { CsiRotations } from '../sources/csi-rotations';
import { KnownGates } from '../watch/known-gates';
import { listedSources } from '../watch/listed-sources';
import { KnownKinds } from '../watch/known-kinds';
import { Watches } from '../watch/watches';
import type { SourceParts } from './build-sources';
import type { GateParts } from './build-gates';
import type { WorkloadParts } from './build-workloads';
import type { EngineBase } from './engine-deps';
import { observeWatches, reflectorObserver } from './observers';

/** The list-watches and reads that fill the indexes, and what of it is complete. */
export interface WatchParts {
  readonly watches: Watches;
  /** Undefined if SecretProviderClasses are not watched. */
  readonly csi: CsiRotations | undefined;
  readonly known: KnownKinds;
  readonly gates: KnownGates;
  /** Sources of kinds that may not be listed, read by name. */
  readonly named: NamedSources;
}

export interface WatchEvents {
  /** Called when a first list is complete or a watch was refused. */
  readonly onProgress: () => void;
  /** Called when it is time to act, or when sources are known of one more kind, or in one more namespace. */
  readonly onMore: () => void;
  /** Called when the state of a source that is read by name becomes known. */
  readonly onKnown: (source: SourceRef) => void;
}

export function buildWatch(
  { deps, settings, keys }: EngineBase,
  sources: SourceParts,
  workloads: WorkloadParts,
  gates: GateParts,
  { onProgress, onMore, onKnown }: WatchEvents,
): WatchParts {
  const { client, clock, random, logger, metrics } = deps;
  const csi = settings.csi ? new CsiRotations({ clock, sources: sources.index }) : undefined;
  const watches = new Watches({
    deps: { client, clock, random, logger },
    ...settings,
    sourceSelector: listedSources(settings),
    ...{
      digester: keys,
      sources: sources.index,
      workloads: workloads.watched,
      scope: workloads.scope,
      wholeLists: false,
      gates: { ...gates, ownNamespace: settings.ownNamespace },
    },
    ...{ csi, onProgress },
    onLost: ({ plural }) => metrics.watchSynced.remove({ resource: plural }),
    observer: (resource) => reflectorObserver(metrics, resource),
  });
  observeWatches(metrics, watches);
  const known = new KnownKinds({ clock, watches, onMore });
  const named = new NamedSources({
    ...{ clock, logger, onKnown, readSource: sources.readSource },
    ...{ sources: sources.index, workloads: workloads.index },
    refused: () => watches.refusedSources(),
  });
  return { watches, csi, known, gates: new KnownGates({ clock, watches }), named };
}
