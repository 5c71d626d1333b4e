import { RerollError } from '../../shared/domain/errors';

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
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : 'no code';
  return new PostError(`no answer (${code})`);
}
