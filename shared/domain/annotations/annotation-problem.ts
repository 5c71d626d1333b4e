import { cutToBytes } from '../text/cut-to-bytes';

/** The codes of all problems. A code stays the same when its message is reworded. */
export const annotationProblemCodes = [
  'unknown-annotation',
  'wrong-place',
  'wrong-kind',
  'bad-boolean',
  'bad-choice',
  'bad-duration',
  'bad-window',
  'bad-hold',
  'bad-order',
  'bad-check',
  'bad-keys',
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
  'check-not-asked',
  'kind-not-covered',
  'namespace-not-watched',
] as const;
export type AnnotationProblemCode = (typeof annotationProblemCodes)[number];

/** Something in an annotation that has no effect, or not the effect its author expects. */
export interface AnnotationProblem {
  readonly code: AnnotationProblemCode;
  readonly key: string;
  /** As written; may be long. Undefined for an unknown annotation, whose value may be a secret. */
  readonly value: string | undefined;
  /** Completes the sentence "key value …". */
  readonly message: string;
  /** What to do, as an imperative. */
  readonly fix: string;
}

/** An annotation that has no effect, because a flag of the install is missing. */
export function withoutFlag(key: string, value: string | undefined, flag: string): AnnotationProblem {
  const message = `has no effect: the install has no ${flag}`;
  return { code: 'check-not-asked', key, value, message, fix: 'set it, or remove the annotation' };
}

/** More than any valid value needs, and less than most secrets. */
const maxValueBytes = 60;
const leastValueBytes = 10;

/**
 * Keeps only as much of the value as is ever shown: the problem is kept as long as the object, and the value may be
 * most of it.
 */
export function shortened(problem: AnnotationProblem): AnnotationProblem {
  const { value } = problem;
  return value === undefined || value.length * 3 <= maxValueBytes
    ? problem
    : { ...problem, value: cutToBytes(value, maxValueBytes) };
}

/**
 * One line for a log, an Event or an admission warning. `object` names the object, such as `Deployment shop/web`. If
 * the line is too long, the value is shortened first.
 */
export function describeProblem(object: string, problem: AnnotationProblem, maxBytes = Infinity): string {
  const { key, value, message, fix } = problem;
  const line = (shown: string): string => `${object}: annotation ${key}${shown} ${message}; ${fix}`;
  if (value === undefined) return cutToBytes(line(''), maxBytes);
  const room = maxBytes - Buffer.byteLength(line('=""'));
  const shown = cutToBytes(value, Math.max(leastValueBytes, Math.min(maxValueBytes, room)));
  return cutToBytes(line(`=${JSON.stringify(shown)}`), maxBytes);
}
