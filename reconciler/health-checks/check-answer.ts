/** The answer to one health check. `why` completes its annotation: `reroll.dev/healthy-url: status 503`. */
export type CheckAnswer = { readonly result: 'passed' } | NotPassed;

interface NotPassed {
  /** `unanswered`: it could not be asked, or the answer cannot be read. */
  readonly result: 'failed' | 'unanswered';
  readonly why: string;
}

export const passed: CheckAnswer = { result: 'passed' };

export function failed(why: string): NotPassed {
  return { result: 'failed', why };
}

export function unanswered(why: string): NotPassed {
  return { result: 'unanswered', why };
}
