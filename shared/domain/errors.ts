export interface RerollErrorOptions {
  /** Stable identifier in UPPER_SNAKE_CASE: never reused for another meaning. */
  readonly code: string;
  readonly cause?: unknown;
}

/**
 * Base class of every error that Reroll raises. Messages name object, key, value and fix. They never hold the content
 * of a Secret or ConfigMap, because they appear in logs and Events.
 */
export class RerollError extends Error {
  readonly code: string;

  constructor(message: string, options: RerollErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = options.code;
  }
}

/** The message of whatever was thrown, fit for a log line. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The default branch of an exhaustive switch: unreachable as long as the types hold. */
export function assertNever(value: never, what: string): never {
  throw new RerollError(`unexpected ${what}: ${String(value)}`, { code: 'UNREACHABLE' });
}
