import type { Attribution } from './attribution';
import type { Verdict } from './verdict';

/** A verdict that causes a restart, with the author of the change if the webhook reported it. */
export interface Change extends Verdict {
  /** See {@link changeId}. */
  readonly changeId: string;
  readonly attribution: Attribution | undefined;
}
