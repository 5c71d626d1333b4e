import type { Clock } from '../clock';
import type { LogFields, Logger } from './logger';

const everyMs = 60_000;

/** Warns about each topic at most once a minute: a fault in one record usually affects thousands. */
export class RateLimitedWarning {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #warnedMs = new Map<string, number>();

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Topics are few, so they are kept forever. */
  warn(topic: string, message: string, fields: LogFields = {}): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - (this.#warnedMs.get(topic) ?? -Infinity) < everyMs) return;
    this.#warnedMs.set(topic, nowMs);
    this.#logger.warn(message, fields);
  }
}
