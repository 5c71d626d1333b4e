import { printable } from '../../shared/domain/text/printable';

/** What an API server leaves of each warning where a request has many of them, by whomever. */
const maxWarningBytes = 256;

/** Half of what it takes of all webhooks together: the others have something to say too. */
const maxTotalBytes = 2_048;

/** More than anybody reads of one write. */
const maxWarnings = 10;

/** As many of the warnings as an answer has room for; where that is not all, the last says how many more there are. */
export function warningsWithinBudget(all: readonly string[]): readonly string[] {
  // An API server drops the warning that has a control character, and a name that is not yet validated may.
  const warnings = [...new Set(all)].map((text) => printable(text, maxWarningBytes));
  const shown: string[] = [];
  let bytes = 0;
  for (const warning of warnings) {
    bytes += Buffer.byteLength(warning);
    if (shown.length === maxWarnings || bytes > maxTotalBytes) break;
    shown.push(warning);
  }
  if (shown.length === warnings.length) return shown;
  // The count takes the place of a warning.
  const kept = shown.slice(0, maxWarnings - 1);
  return [...kept, `and ${warnings.length - kept.length} more`];
}
