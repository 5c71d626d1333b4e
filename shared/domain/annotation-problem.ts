/** Something a user wrote in an annotation that has no effect or not the one they expect. */
export interface AnnotationProblem {
  readonly key: string;
  /** As written; may be long. */
  readonly value: string;
  /** Completes the sentence "key value …". */
  readonly message: string;
  /** What to do, as an imperative. */
  readonly fix: string;
}

const maxValueLength = 100;

/** One line for a log, an Event or an admission warning. `object` is the way to name it, such as `deployment shop/web`. */
export function describeProblem(object: string, problem: AnnotationProblem): string {
  const { key, value, message, fix } = problem;
  const shown = value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value;
  return `${object}: annotation ${key}=${JSON.stringify(shown)} ${message}; ${fix}`;
}
