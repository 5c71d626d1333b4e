/** How a change reaches many users of one source, as the flags of the install say. */
export interface StageSettings {
  /** With fewer users than this, a change goes to all of them at once; 0: always, unless an annotation says otherwise. */
  readonly fromUsers: number;
  /** How long those that went first must be healthy before others follow. */
  readonly healthyForMs: number;
  /** A workload that is not healthy this long after its restart has failed. */
  readonly deadlineMs: number;
}

/** For whom nothing else is set: all users restart at once. */
export const withoutStages: StageSettings = { fromUsers: 0, healthyForMs: 30_000, deadlineMs: 600_000 };
