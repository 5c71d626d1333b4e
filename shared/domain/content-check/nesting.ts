import { RerollError } from '../errors';

/**
 * The maximum nesting of a text. Parsers recurse for each level. When V8 compiles a regular expression near the end of
 * the stack, it ends the process instead of throwing, and nothing can catch that.
 */
export const maxNesting = 256;

/** A text is nested deeper than {@link maxNesting}. */
export class NestingError extends RerollError {
  constructor() {
    super(`nested more than ${maxNesting} levels deep`, { code: 'CONTENT_TOO_DEEP' });
  }
}
