import type { SourceRef } from '../../shared/domain/sources/source';
import { NamedSources } from '../reading/named-sources';
import { CsiRotations } from '../sources/csi-rotations';
import { KnownKinds } from '../watch/known-kinds';
import { Watches } from '../watch/watches';
import type { SourceParts } from './build-sources';
import type { WorkloadParts } from './build-workloads';
import type { EngineBase } from './engine-deps';
import { observeWatches, reflectorObserver } from './observers';

/** What fills the indexes, and what tells how far they are filled. */
export interface WatchParts {
  readonly watches: Watches;
  readonly known: KnownKinds;
  /** Sources that may be read by their names alone. */
  readonly named: NamedSources;
}

export interface WatchEvents {
  /** A first list is complete, or a watch was refused. */
  readonly onProgress: () => void;
  /** Sources of one kind more are known. */
  readonly onMore: () => void;
  /** The state of a source that is read by name is known, and was not before. */
  readonly onKnown: (source: SourceRef) => void;
}

export function buildWatch(
  { deps, settings, keys }: EngineBase,
  sources: SourceParts,
  workloads: WorkloadParts,
  { onProgress, onMore, onKnown }: WatchEvents,
): WatchParts {
  const { client, clock, random, logger, metrics } = deps;
  const watches = new Watches({
    deps: { client, clock, random, logger },
    ...settings,
    ...{ digester: keys, sources: sources.index, workloads: workloads.refs, scope: workloads.scope, wholeLists: false },
    csi: settings.csi ? new CsiRotations({ clock, sources: sources.index }) : undefined,
    onProgress,
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
  return { watches, known, named };
}
