import { printable } from '../../shared/domain/text/printable';

/** The API server truncates each warning to this if a request has many, from all webhooks together. */
const maxWarningBytes = 256;

/** Half of what the API server accepts from all webhooks together: others need room too. */
const maxTotalBytes = 2_048;

/** More than anybody reads for one write. */
const maxWarnings = 10;

/** As many warnings as the answer has room for. If that is not all, the last one says how many were left out. */
export function warningsWithinBudget(all: readonly string[]): readonly string[] {
  // The API server drops a warning with a control character, and a name that is not yet validated may hold one.
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
