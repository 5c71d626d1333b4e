import { RerollError, errorMessage } from '../../shared/domain/errors';

/** Reads a body; where it cannot be read, why not, fit to be sent back. */
export function readJsonBody<T>(
  body: Buffer,
  parse: (value: unknown) => T,
): { readonly value: T } | { readonly error: string } {
  try {
    return { value: parse(JSON.parse(body.toString('utf8'))) };
  } catch (thrown) {
    // The message of a SyntaxError quotes what it could not parse.
    return { error: thrown instanceof RerollError ? errorMessage(thrown) : 'the body is not JSON' };
  }
}
