import { errorMessage } from '../../domain/errors';
import type { Clock } from '../../runtime/clock';
import { Deadline } from './deadline';

/** The result of one try to post something. `why` is safe to log: it contains no part of the address. */
export type Delivery =
  | { readonly kind: 'delivered' }
  /** A permanent failure: the next try would get the same answer. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string; readonly retryAfterMs?: number | undefined }
  /** The caller's signal was aborted first. */
  | { readonly kind: 'stopped' };

interface Answer {
  readonly status: number;
  readonly retryAfterMs?: number | undefined;
}

/** The message does not name the redirect's target: an address may contain a credential. */
const redirectFix = 'redirects are not followed; set the address that this one leads to, if you trust it';

export interface DeliveryLimits {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Whether a later try may succeed after an answer with this status. Default: after 408, 429 and 5xx. */
  readonly isTransient?: (status: number) => boolean;
}

/** Posts something; rejects if there is no answer, and as soon as the signal is aborted. */
export type DeliveryTry = (signal: AbortSignal) => Promise<Answer>;

/** Tries once. A receiver that hangs cannot extend the try beyond `timeoutMs`. Never rejects. */
export async function deliver(
  { clock, timeoutMs, signal, isTransient = mayPass }: DeliveryLimits,
  post: DeliveryTry,
): Promise<Delivery> {
  const deadline = new Deadline(clock, signal);
  deadline.set(timeoutMs);
  try {
    if (signal.aborted) return { kind: 'stopped' };
    const { status, retryAfterMs } = await deadline.race(post(deadline.signal));
    if (status >= 200 && status < 300) return { kind: 'delivered' };
    if (status >= 300 && status < 400) return { kind: 'refused', why: `answered ${status}: ${redirectFix}` };
    const why = `answered ${status}`;
    if (isTransient(status)) return { kind: 'failed', why, retryAfterMs };
    return { kind: 'refused', why };
  } catch (thrown) {
    if (deadline.expired) return { kind: 'failed', why: `no answer within ${timeoutMs} ms` };
    if (deadline.signal.aborted) return { kind: 'stopped' };
    return { kind: 'failed', why: errorMessage(thrown) };
  } finally {
    deadline.dispose();
  }
}

function mayPass(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}
