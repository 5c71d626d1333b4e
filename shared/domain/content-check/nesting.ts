import { RerollError } from '../errors';

/**
 * How deep a text may be nested. Parsers call themselves for each level, and V8 has no error for a regular expression that it
 * compiles where the stack is nearly at its end: it ends the process, and nothing can catch that.
 */
export const maxNesting = 256;

/** A text is nested deeper than {@link maxNesting}. */
export class NestingError extends RerollError {
  constructor() {
    super(`nested more than ${maxNesting} levels deep`, { code: 'CONTENT_TOO_DEEP' });
  }
}
