import { printable } from '../../shared/domain/text/printable';
import { maxDetailBytes } from '../alerts/message';

/** Room that is left for the reasons: a restart at once names the gates that it has passed, which may be long. */
const minReasonBytes = 256;

/**
 * The text of an Event, and of an alert, which has less room. The reasons are cut, and then what was done, but not the id
 * at its end: it leads to the log, the history and `reroll why`.
 */
export function eventText(reasons: string, what: string, id: string): string {
  const end = ` (${id})`;
  const done = printable(`. ${what}`, maxDetailBytes - minReasonBytes - Buffer.byteLength(end)) + end;
  return printable(reasons, maxDetailBytes - Buffer.byteLength(done)) + done;
}
