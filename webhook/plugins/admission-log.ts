import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import { sourceKey } from '../../shared/domain/sources/source';
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';

/** In a minute. A release rarely changes as many sources of a namespace, and only a flood changes more. */
export const maxNamespaceLines = 100;
/** In a minute, of all namespaces: somebody may flood the log from many. */
export const maxLines = 2_000;
const minuteMs = 60_000;

/** Of one change. */
const maxLoggedKeys = 20;
/** Of those that were left out. */
const maxNamedNamespaces = 10;

export interface AdmissionLogOptions {
  readonly clock: Pick<Clock, 'timer'>;
  readonly logger: Logger;
}

/** The changes of a namespace in the current minute. */
interface NamespaceChanges {
  lines: number;
  leftOut: number;
}

/**
 * Logs each admitted change of content. Whoever may write sources could fill the log, so the lines of a minute are
 * bounded, for each namespace and in total. A line at the end of the minute says how many were left out.
 */
export class AdmissionLog {
  readonly #options: AdmissionLogOptions;
  /** Only those with a line: so there are at most {@link maxLines}. */
  readonly #namespaces = new Map<string, NamespaceChanges>();
  #lines = 0;
  #leftOut = 0;
  #timer: Timer | undefined;

  constructor(options: AdmissionLogOptions) {
    this.#options = options;
  }

  /** The first line of a change: its id is in all that follows from it. */
  admitted({ kind, namespace, name, change, user, manager, changed }: ChangeRecord): void {
    this.#timer ??= this.#options.clock.timer(minuteMs, () => this.endMinute());
    if (!this.#mayLog(namespace)) return;
    const source = sourceKey({ kind, namespace, name });
    const keys = [...changed.added, ...changed.changed, ...changed.removed].slice(0, maxLoggedKeys);
    this.#options.logger.info(`${source} admitted`, { source, change, keys, user, manager });
  }

  /** Says how many were left out, and begins to count anew. Call it when the process ends, too. */
  endMinute(): void {
    const leftOut = this.#leftOut;
    const most = [...this.#namespaces]
      .filter(([, changes]) => changes.leftOut > 0)
      .toSorted(([, left], [, right]) => right.leftOut - left.leftOut)
      .slice(0, maxNamedNamespaces)
      .map(([namespace, changes]) => `${namespace}: ${changes.leftOut}`);
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#namespaces.clear();
    this.#lines = 0;
    this.#leftOut = 0;
    if (leftOut === 0) return;
    this.#options.logger.info(
      `${leftOut} more changes were admitted within a minute and have no line of their own: too many of one namespace, or at once`,
      { leftOut, namespaces: most },
    );
  }

  #mayLog(namespace: string): boolean {
    const isFull = this.#lines >= maxLines;
    const changes = this.#namespaces.get(namespace) ?? { lines: 0, leftOut: 0 };
    if (isFull || changes.lines >= maxNamespaceLines) {
      changes.leftOut++;
      this.#leftOut++;
      return false;
    }
    changes.lines++;
    this.#lines++;
    this.#namespaces.set(namespace, changes);
    return true;
  }
}
