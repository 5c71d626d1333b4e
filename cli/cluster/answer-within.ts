import { Deadline } from '../../shared/kube/client/deadline';
import { ConnectionError } from '../../shared/kube/errors';
import type { Clock } from '../../shared/runtime/clock';

/** Gives up on what cannot be stopped. @throws ConnectionError */
export async function answerWithin<T>(clock: Clock, timeoutMs: number, work: Promise<T>): Promise<T> {
  const deadline = new Deadline(clock);
  deadline.set(timeoutMs);
  // Without a listener, its rejection after the time limit would be uncaught.
  work.catch(() => undefined);
  try {
    return await deadline.race(work);
  } catch (thrown) {
    throw deadline.expired ? new ConnectionError(`no answer within ${timeoutMs} ms`) : thrown;
  } finally {
    deadline.dispose();
  }
}
