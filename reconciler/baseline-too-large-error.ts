import { formatBaseline, type Baseline } from '../shared/domain/baseline';
import { RerollError } from '../shared/domain/errors';
import { describeWorkload } from './report';
import type { TrackedWorkload } from './workload-index';

/** Less than the 256 KiB that all annotations of an object may have together: others need room too. */
export const maxBaselineBytes = 200 * 1024;

/** A workload asks for more sources than can be recorded on it. */
export class BaselineTooLargeError extends RerollError {
  constructor({ record }: TrackedWorkload, sources: number, bytes: number) {
    super(
      `${describeWorkload(record)}: the baseline of its ${String(sources)} sources takes ${String(bytes)} bytes, more than ` +
        `the ${String(maxBaselineBytes)} that its annotations have room for; let its lists and patterns name fewer sources`,
      { code: 'BASELINE_TOO_LARGE', retry: 'backoff' },
    );
  }
}

/** The annotation of a baseline. Throws a BaselineTooLargeError. */
export function baselineText(workload: TrackedWorkload, baseline: Baseline): string {
  const text = formatBaseline(baseline);
  if (text.length > maxBaselineBytes) throw new BaselineTooLargeError(workload, baseline.sources.size, text.length);
  return text;
}
