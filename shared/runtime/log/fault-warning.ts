import type { LogFields, Logger } from './logger';

/** Warns about a fault that is found at each attempt: once, and again if it becomes another one, or returns after its end. */
export class FaultWarning {
  readonly #logger: Logger;
  #reported: string | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Faults with the same text are the same fault, whatever the message says. */
  warn(fault: string, message: string, fields: LogFields = {}): void {
    if (this.#reported === fault) return;
    this.#reported = fault;
    this.#logger.warn(message, fields);
  }

  /** The fault is over. */
  ended(): void {
    this.#reported = undefined;
  }
}
