export interface RerollErrorOptions {
  /** Stable identifier in UPPER_SNAKE_CASE: never reused for another meaning. */
  readonly code: string;
  readonly cause?: unknown;
}

/**
 * Base of every error that Reroll raises. Messages name object, key, value and fix, and never hold the content of a
 * Secret or ConfigMap: they end up in logs and Events.
 */
export class RerollError extends Error {
  readonly code: string;

  constructor(message: string, options: RerollErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = options.code;
  }
}

/** A message fit for a log line out of whatever was thrown. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The end of an exhaustive switch: unreachable as long as the types hold. */
export function assertNever(value: never, what: string): never {
  throw new RerollError(`unexpected ${what}: ${String(value)}`, { code: 'UNREACHABLE' });
}
