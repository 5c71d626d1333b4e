import { RerollError } from '../domain/errors';

/** The transport has the address, which may contain a credential. */
export interface Post {
  readonly contentType: string;
  readonly body: Buffer;
}

export interface PostAnswer {
  readonly status: number;
  /** The delay that the receiver asks for, usually with a 429 or 503. */
  readonly retryAfterMs: number | undefined;
}

/** A receiver that takes longer counts as failed. */
export const tryTimeoutMs = 10_000;

/**
 * The connection to one receiver outside the cluster. It is passed in, so that a test or a simulation controls the
 * network.
 */
export interface PostTransport {
  /** Rejects if there is no answer, and as soon as `signal` is aborted. No error contains a part of the address. */
  post(post: Post, signal: AbortSignal): Promise<PostAnswer>;
}

/**
 * A receiver outside the cluster could not be reached. Address and cause are left out on purpose: both may contain a
 * credential, and this message is logged.
 */
export class PostError extends RerollError {
  constructor(why: string) {
    super(why, { code: 'POST_FAILED' });
  }
}

/** Keeps only the code of a socket error, because its message may name the host. */
export function postError(thrown: unknown): PostError {
  if (thrown instanceof PostError) return thrown;
  return new PostError(`no answer (${codeOf(thrown)})`);
}

/** The code of an error of the system, such as `ENOENT`. */
export function codeOf(thrown: unknown): string {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : 'no code';
}
