/**
 * How a change was detected: the webhook announced it and a read confirmed it, the watch showed it unannounced, or the
 * webhook announced it and the watch showed it.
 */
export type ChangePath = 'webhook' | 'watch' | 'both';

/** Who brought a source into a state, as the webhook saw it. For Events and logs only, never a reason to act. */
export interface Attribution {
  /** Newest first; several if several users wrote the same content. {@link firstUser} is always among them. */
  readonly users: readonly string[];
  /** How many others wrote the same content; a user who writes again is counted again. */
  readonly moreUsers: number;
  /** Undefined: no user is known. */
  readonly firstUser: string | undefined;
  readonly manager: string | undefined;
  readonly changedKeys: readonly string[];
  readonly path: ChangePath;
  /** By the webhook's wall clock. */
  readonly observedAtMs: number;
}

/** The first that names somebody. If none does, the first: it tells how the change was detected. */
export function namedFirst(...known: readonly (Attribution | undefined)[]): Attribution | undefined {
  return known.find((attribution) => attribution?.firstUser !== undefined) ?? known.find(Boolean);
}
