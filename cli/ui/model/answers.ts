import type { HistoryEntry, ObjectName } from './live-message';

/** A source of a workload, in the words of `reroll why`. */
export interface SourceLine {
  readonly kind: string;
  readonly name: string;
  readonly keys: string;
  readonly container: string;
  readonly counts: boolean;
  readonly by: string;
  readonly now: string;
  /** What would let it count. */
  readonly how?: string | undefined;
}

export interface EventLine {
  readonly at: string;
  readonly reason: string;
  readonly message: string;
}

/** The answer to `/api/workloads/{kind}/{namespace}/{name}`: that of `reroll why`. */
export interface WorkloadAnswer extends ObjectName {
  /** The first line of `reroll why`. */
  readonly headline: string;
  readonly isBad: boolean;
  /** Its state in words, and then what else is known of it now; undefined: nothing restarts it. */
  readonly standing?: readonly string[] | undefined;
  readonly answeredBy: string;
  readonly sources: readonly SourceLine[];
  readonly moreSources: number;
  readonly notes: readonly string[];
  readonly mistakes: readonly string[];
  readonly events: readonly EventLine[];
  /** Its restarts, newest first; undefined: the leader does not remember any. */
  readonly history?: readonly HistoryEntry[] | undefined;
}

/** A workload that uses a source. */
export interface UserLine {
  readonly kind: string;
  readonly name: string;
  readonly restarts: boolean;
  readonly keys: string;
  readonly by: string;
  readonly because: string;
}

/** The answer to `/api/sources/{kind}/{namespace}/{name}`: that of `reroll users`. */
export interface SourceAnswer extends ObjectName {
  readonly headline: string;
  readonly isBad: boolean;
  /** That users wait for others; `isBad`: these have stopped them. Undefined: none waits. */
  readonly stages?: { readonly text: string; readonly isBad: boolean } | undefined;
  readonly answeredBy: string;
  /** Those that restart are first. */
  readonly users: readonly UserLine[];
  readonly moreUsers: number;
}

/** Why there is no answer. */
export interface ProblemAnswer {
  readonly message: string;
}
