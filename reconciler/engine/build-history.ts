import { HistoryStore } from '../history/history-store';
import { RestartHistory, type RestartHistoryOptions } from '../history/restart-history';
import type { EngineBase } from './engine-deps';

export type HistoryEvents = Pick<RestartHistoryOptions, 'isReferenced' | 'onRefused' | 'onEnd'> & {
  /** Throws a NotLeadingError if another replica may write. */
  readonly assertLeading: () => void;
};

export function buildHistory(
  { deps, settings }: EngineBase,
  { assertLeading, ...events }: HistoryEvents,
): RestartHistory {
  const { client, clock, random, logger } = deps;
  const { annotationKeys, dryRun, history, ownNamespace: namespace } = settings;
  const onBroken = (configMap: string, problem: string): void =>
    logger.warn(
      `ConfigMap ${configMap} holds no part of a history of restarts: ${problem}. It is dropped, and written over: ` +
        'find out who else writes it',
      { configMap, problem },
    );
  const store =
    dryRun || !history
      ? undefined
      : new HistoryStore({ client, namespace, ignoreKey: annotationKeys.ignore, assertLeading, onBroken });
  return new RestartHistory({ clock, random, logger, store, ...events });
}
