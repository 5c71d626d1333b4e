import type { SourceRef } from '../../shared/domain/sources/source';
import { ChangeRecordIntake } from '../hints/change-record-intake';
import { Hints, type HintsOptions } from '../hints/hints';
import { ContentLoader } from '../reading/content-loader';
import { sourceReader } from '../reading/read-source';
import { sourceReads } from '../reading/source-reads';
import { listedSources } from '../watch/listed-sources';
import { SourceIndex, type SourceChange, type SourceIndexListener } from '../sources/source-index';
import type { EngineBase } from './engine-deps';
import { observeSources } from './observers';

/** The source index, and the parts that learn about sources without a watch. */
export interface SourceParts {
  readonly index: SourceIndex;
  readonly hints: Hints;
  readonly intake: ChangeRecordIntake;
  readonly contents: ContentLoader;
  readonly readSource: HintsOptions['readSource'];
}

export interface SourceEvents {
  readonly onChange: (change: SourceChange) => void;
  /** The content of a source was read that a list had left out. */
  readonly onRead: (source: SourceRef) => void;
  /** Whether a workload uses or names the source, or may do so because not all workloads are listed yet. */
  readonly mayBeUsed: (source: SourceRef) => boolean;
  /** Whether the kind may not be listed in that namespace. */
  readonly isRefused: (source: SourceRef) => boolean;
}

export function buildSources({ deps, settings, keys }: EngineBase, events: SourceEvents): SourceParts {
  const { client, clock, logger, metrics } = deps;
  const { annotationKeys, sourceSelector, namespaces, ignoredSourceKind } = settings;
  const listed = listedSources(settings);
  const listener: SourceIndexListener = {
    onChange: (change) => {
      if (change.after) hints.observed(change.after);
      events.onChange(change);
    },
    onInconsistency: (source) => hints.check(source),
    onListed: (kind, namespace) => hints.listed(kind, namespace),
  };
  const index = new SourceIndex(clock, listener, listed);
  const readSource = sourceReader(client, keys, annotationKeys, sourceSelector);
  const hints = new Hints({
    ...{ clock, logger, readSource },
    metrics: metrics.channel,
    sources: {
      known: (source) => index.get(source),
      heldBefore: (source, digest) => index.heldBefore(source, digest),
    },
    onStored: (record) => index.learn(record),
    onAbsent: (source) => index.learnAbsence(source),
  });
  const contents = new ContentLoader({
    ...sourceReads(deps, keys, annotationKeys, listed),
    sources: index,
    isRefused: events.isRefused,
    onRead: (source) => {
      hints.observed(source);
      events.onRead(source);
    },
  });
  const intake = new ChangeRecordIntake({
    ...{ clock, logger, keys, hints },
    metrics: metrics.channel,
    isWanted: (source) =>
      source.kind !== ignoredSourceKind &&
      (namespaces.length === 0 || namespaces.includes(source.namespace)) &&
      // A change record has no labels, so only the watch shows whether a source that is new to us is selected.
      (sourceSelector.isEverything || index.get(source) !== undefined) &&
      events.mayBeUsed(source),
  });
  observeSources(metrics, index);
  return { index, hints, intake, contents, readSource };
}
