import type { Clock } from '../clock';
import type { LogFields, Logger } from './logger';

export interface NamespaceLinesOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
  /** Of one namespace, within an hour. */
  readonly maxLines: number;
}

const perMs = 3_600_000;

/** Warnings about objects that anybody may write as often as they like: some of each namespace within an hour. */
export class NamespaceLines {
  readonly #options: NamespaceLinesOptions;
  /** The lines about each namespace since `#sinceMs`. */
  readonly #lines = new Map<string, number>();
  #sinceMs = -Infinity;

  constructor(options: NamespaceLinesOptions) {
    this.#options = options;
  }

  warn(line: string, namespace: string, fields: LogFields): void {
    const { clock, logger, maxLines } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#sinceMs >= perMs) {
      this.#lines.clear();
      this.#sinceMs = nowMs;
    }
    const lines = (this.#lines.get(namespace) ?? 0) + 1;
    this.#lines.set(namespace, lines);
    if (lines > maxLines) return;
    const isLast = lines === maxLines;
    logger.warn(isLast ? `${line} (and no more of namespace ${namespace} for an hour)` : line, fields);
  }
}
