import { printable } from '../../shared/domain/text/printable';

/** The API server truncates each warning to this if a request has many, from all webhooks together. */
const maxWarningBytes = 256;

/** Half of what the API server accepts from all webhooks together: others need room too. */
const maxTotalBytes = 2_048;

/** More than anybody reads for one write. */
const maxWarnings = 10;

/** As many warnings as the answer has room for. If that is not all, the last one says how many were left out. */
export function warningsWithinBudget(all: readonly string[]): readonly string[] {
  // There may be tens of thousands, so only those that are shown are escaped and cut.
  const warnings = new Set(all);
  const shown: string[] = [];
  let bytes = 0;
  for (const text of warnings) {
    // The API server drops a warning with a control character, and a name that is not yet validated may hold one.
    const warning = printable(text, maxWarningBytes);
    bytes += Buffer.byteLength(warning);
    if (shown.length === maxWarnings || bytes > maxTotalBytes) break;
    shown.push(warning);
  }
  if (shown.length === warnings.size) return shown;
  // The count takes the place of a warning.
  const kept = shown.slice(0, maxWarnings - 1);
  return [...kept, `and ${warnings.size - kept.length} more`];
}
