import { ForbiddenError, NotFoundError } from '../../shared/kube/errors';
import { missingRight } from '../cluster/silence';

/** What somebody could read: the thing, that there is none, or that a right is missing. */
export type Seen<T> =
  | { readonly is: 'there'; readonly value: T }
  | { readonly is: 'absent' }
  | { readonly is: 'hidden'; readonly right: string };

/** Reads something that the person who asks may not be allowed to read. @throws what is neither 403 nor 404 */
export async function look<T>(reading: Promise<T>): Promise<Seen<T>> {
  try {
    return { is: 'there', value: await reading };
  } catch (thrown) {
    if (thrown instanceof NotFoundError) return { is: 'absent' };
    if (thrown instanceof ForbiddenError) return { is: 'hidden', right: missingRight(thrown) };
    throw thrown;
  }
}

export function valueOf<T>(seen: Seen<T>): T | undefined {
  return seen.is === 'there' ? seen.value : undefined;
}
