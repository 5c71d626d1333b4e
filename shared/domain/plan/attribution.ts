/**
 * Which way a change came: the webhook announced it and a read of our own showed it, the watch showed it unannounced, or
 * the webhook announced what the watch showed.
 */
export type ChangePath = 'webhook' | 'watch' | 'both';

/** Who put a source into a state, as the webhook saw it: for Events and logs, never a reason to act. */
export interface Attribution {
  /** Newest first; several where several wrote the same. {@link firstUser} is always among them. */
  readonly users: readonly string[];
  /** Others who wrote the same and are not named; who comes again counts again. */
  readonly moreUsers: number;
  /** Undefined: nobody is known. */
  readonly firstUser: string | undefined;
  readonly manager: string | undefined;
  readonly changedKeys: readonly string[];
  readonly path: ChangePath;
  /** By the webhook's wall clock. */
  readonly observedAtMs: number;
}
