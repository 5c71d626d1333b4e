import type { AnnotationProblem } from '../annotations/annotation-problem';
import type { AnnotationKeys, Annotations } from '../annotations/annotations';
import { annotation } from '../annotations/annotations';
import { DurationError, parseDuration } from '../text/duration';
import { fieldAt, textOf } from '../kubernetes/json-value';
import type { WorkloadKind } from '../kubernetes/workload-kinds';

/**
 * A Deployment that is held paused for a while from its first change on, so that all changes of that time are one
 * rollout. All of it stands on the object: whoever looks next knows when it ends.
 */
export interface Pause {
  /** `spec.paused`, whoever set it. */
  readonly paused: boolean;
  /** How long it is to be held; undefined: not at all. */
  readonly periodMs: number | undefined;
  /** Since when we hold it; undefined: we do not, so whoever paused it is to resume it; `unreadable` by anybody. */
  readonly since: number | 'unreadable' | undefined;
}

type PauseKeys = Pick<AnnotationKeys, 'pausePeriod' | 'pausedAt'>;

/** Reads what a workload's metadata and `spec.paused` say of pauses; nothing where they say nothing. */
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
 * How long a pause of ours still lasts, at most its period; 0: it is over. Undefined: it is not ours. One whose period
 * was taken away is over, and so is one of which nobody can tell when it began.
 */
export function pausedForMs(pause: Pause | undefined, nowMs: number): number | undefined {
  if (!pause?.paused || pause.since === undefined) return undefined;
  if (pause.periodMs === undefined || pause.since === 'unreadable') return 0;
  // A clock that was ahead must not hold it for longer.
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
    return { periodMs: undefined, problem: { message: 'is no duration and has no effect', fix } };
  }
}
