import type { AnnotationProblem } from '../annotations/annotation-problem';
import type { AnnotationKeys, Annotations } from '../annotations/annotations';
import { annotation } from '../annotations/annotations';
import { DurationError, parseDuration } from '../text/duration';
import { fieldAt, textOf } from '../kubernetes/json-value';
import type { WorkloadKind } from '../kubernetes/workload-kinds';

/**
 * A Deployment that Reroll pauses for a while from the first change on, so that all changes in that time become one
 * rollout. The state is kept on the object, so any replica knows when the pause ends.
 */
export interface Pause {
  /** `spec.paused`, whoever set it. */
  readonly paused: boolean;
  /** How long to pause it; undefined: not at all. */
  readonly periodMs: number | undefined;
  /**
   * When Reroll paused it. Undefined: Reroll did not, so whoever paused it resumes it. `unreadable`: the annotation is
   * invalid.
   */
  readonly since: number | 'unreadable' | undefined;
}

type PauseKeys = Pick<AnnotationKeys, 'pausePeriod' | 'pausedAt'>;

/** Reads the pause annotations and `spec.paused` of a workload; empty if neither is set. */
export function readPause(
  { kind }: WorkloadKind,
  object: unknown,
  metadata: Annotations,
  keys: PauseKeys,
): { readonly pause?: Pause; readonly problems: readonly AnnotationProblem[] } {
  const period = annotation(metadata, keys.pausePeriod);
  if (kind !== 'Deployment') {
    const problem = { code: 'wrong-kind', key: keys.pausePeriod, message: 'counts on a Deployment only' } as const;
    return { problems: period === undefined ? [] : [{ ...problem, value: period, fix: 'remove it' }] };
  }
  const since = textOf(metadata[keys.pausedAt]);
  if (period === undefined && since === undefined) return { problems: [] };
  const { periodMs, problem } = readPeriod(period);
  const sinceMs = since === undefined ? undefined : Date.parse(since);
  return {
    pause: {
      paused: fieldAt(object, ['spec', 'paused']) === true,
      periodMs,
      since: Number.isNaN(sinceMs) ? 'unreadable' : sinceMs,
    },
    problems: problem === undefined ? [] : [{ code: 'bad-duration', key: keys.pausePeriod, value: period, ...problem }],
  };
}

/**
 * How long a pause by Reroll still lasts, at most its period; 0: it is over. Undefined: Reroll did not pause it. A
 * pause is over if its period was removed or its start is unreadable.
 */
export function pausedForMs(pause: Pause | undefined, nowMs: number): number | undefined {
  if (!pause?.paused || pause.since === undefined) return undefined;
  if (pause.periodMs === undefined || pause.since === 'unreadable') return 0;
  // A clock that was ahead must not prolong the pause.
  return Math.min(pause.periodMs, Math.max(0, pause.since + pause.periodMs - nowMs));
}

function readPeriod(text: string | undefined): {
  readonly periodMs: number | undefined;
  readonly problem?: Pick<AnnotationProblem, 'message' | 'fix'>;
} {
  if (text === undefined) return { periodMs: undefined };
  const fix = 'write one such as 30s, 5m or 1h30m';
  try {
    const periodMs = parseDuration(text);
    if (periodMs > 0) return { periodMs };
    return { periodMs: undefined, problem: { message: 'is not a time above zero and has no effect', fix } };
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    return { periodMs: undefined, problem: { message: 'is not a duration and has no effect', fix } };
  }
}
