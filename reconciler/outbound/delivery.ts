import { errorMessage } from '../../shared/domain/errors';
import { Deadline } from '../../shared/kube/client/deadline';
import type { Clock } from '../../shared/runtime/clock';
import type { Post, PostTransport } from './post-transport';

/** The result of one try to post something. `why` may be logged: it contains nothing of the address. */
export type Delivery =
  | { readonly kind: 'delivered' }
  /** The next try would get the same answer. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string; readonly retryAfterMs: number | undefined }
  /** The caller's signal was aborted first. */
  | { readonly kind: 'stopped' };

/** A receiver that takes longer counts as failed. */
export const tryTimeoutMs = 10_000;

/** The target is not named: an address may contain a credential. */
const redirectFix = 'redirects are not followed; set the address that this one leads to, if you trust it';

/** One try. A receiver that hangs cannot extend it beyond {@link tryTimeoutMs}. Never rejects. */
export async function deliver(
  { clock, transport }: { readonly clock: Clock; readonly transport: PostTransport },
  post: Post,
  signal: AbortSignal,
): Promise<Delivery> {
  const deadline = new Deadline(clock, signal);
  deadline.set(tryTimeoutMs);
  try {
    if (signal.aborted) return { kind: 'stopped' };
    const { status, retryAfterMs } = await deadline.race(transport.post(post, deadline.signal));
    if (status >= 200 && status < 300) return { kind: 'delivered' };
    if (status >= 300 && status < 400) return { kind: 'refused', why: `answered ${status}: ${redirectFix}` };
    const why = `answered ${status}`;
    if (status === 408 || status === 429 || status >= 500) return { kind: 'failed', why, retryAfterMs };
    return { kind: 'refused', why };
  } catch (thrown) {
    if (deadline.expired)
      return { kind: 'failed', why: `no answer within ${tryTimeoutMs} ms`, retryAfterMs: undefined };
    if (deadline.signal.aborted) return { kind: 'stopped' };
    return { kind: 'failed', why: errorMessage(thrown), retryAfterMs: undefined };
  } finally {
    deadline.dispose();
  }
}
