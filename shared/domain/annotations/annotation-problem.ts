import { cutToBytes } from '../text/cut-to-bytes';

/** What can be wrong, each in a word that stays the same while its description may be worded anew. */
export const annotationProblemCodes = [
  'unknown-annotation',
  'wrong-place',
  'wrong-kind',
  'bad-boolean',
  'bad-choice',
  'bad-duration',
  'bad-window',
  'bad-pattern',
  'bad-name',
  'pattern-refused',
  'over-budget',
  'pattern-loose',
  'narrows-nothing',
  'narrowed-out',
  'overridden',
  'nothing-asked',
  'nothing-used',
  'no-such-source',
  'other-kind',
  'no-match',
  'source-ignored',
  'source-kind-ignored',
  'kind-not-covered',
  'namespace-not-watched',
] as const;
export type AnnotationProblemCode = (typeof annotationProblemCodes)[number];

/** Something a user wrote in an annotation that has no effect or not the one they expect. */
export interface AnnotationProblem {
  readonly code: AnnotationProblemCode;
  readonly key: string;
  /** As written; may be long. Undefined where nobody can tell what it is: it may be a secret. */
  readonly value: string | undefined;
  /** Completes the sentence "key value …". */
  readonly message: string;
  /** What to do, as an imperative. */
  readonly fix: string;
}

/** More than a value that makes sense has, and less than many that are to stay secret. */
const maxValueBytes = 60;
const leastValueBytes = 10;

/** With no more of the value than anybody is shown: it is kept as long as the object, and may be most of it. */
export function shortened(problem: AnnotationProblem): AnnotationProblem {
  const { value } = problem;
  return value === undefined || value.length * 3 <= maxValueBytes
    ? problem
    : { ...problem, value: cutToBytes(value, maxValueBytes) };
}

/**
 * One line for a log, an Event or an admission warning. `object` is the way to name it, such as `Deployment shop/web`.
 * Where room is short, the value gives way first.
 */
export function describeProblem(object: string, problem: AnnotationProblem, maxBytes = Infinity): string {
  const { key, value, message, fix } = problem;
  const line = (shown: string): string => `${object}: annotation ${key}${shown} ${message}; ${fix}`;
  if (value === undefined) return cutToBytes(line(''), maxBytes);
  const room = maxBytes - Buffer.byteLength(line('=""'));
  const shown = cutToBytes(value, Math.max(leastValueBytes, Math.min(maxValueBytes, room)));
  return cutToBytes(line(`=${JSON.stringify(shown)}`), maxBytes);
}
