import { RerollError } from '../../shared/domain/errors';

/**
 * A receiver outside of the cluster was not reached. Address and cause are left out on purpose: both may hold a
 * credential, and this message ends up in the log.
 */
export class PostError extends RerollError {
  constructor(why: string) {
    super(why, { code: 'POST_FAILED' });
  }
}

/** Out of whatever a socket threw: its code alone, since its message may name the host. */
export function postError(thrown: unknown): PostError {
  if (thrown instanceof PostError) return thrown;
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : 'no code';
  return new PostError(`no answer (${code})`);
}
