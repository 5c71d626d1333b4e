import { RerollError, errorMessage } from '../../shared/domain/errors';

/** Parses a body. If it cannot be parsed, returns a reason that may be sent to the client. */
export function readJsonBody<T>(
  body: Buffer,
  parse: (value: unknown) => T,
): { readonly value: T } | { readonly error: string } {
  try {
    return { value: parse(JSON.parse(body.toString('utf8'))) };
  } catch (thrown) {
    // The message of a SyntaxError quotes the text that could not be parsed.
    return { error: thrown instanceof RerollError ? errorMessage(thrown) : 'the body is not JSON' };
  }
}
