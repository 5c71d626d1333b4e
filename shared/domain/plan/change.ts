import type { Attribution } from './attribution';
import type { Verdict } from './verdict';

/** A verdict that leads to a restart, with who made the change, where the webhook told. */
export interface Change extends Verdict {
  readonly attribution: Attribution | undefined;
}
