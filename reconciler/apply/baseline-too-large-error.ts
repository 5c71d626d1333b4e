import { formatBaseline, type Baseline } from '../../shared/domain/baseline/baseline';
import { budgets, isLongerThan } from '../../shared/domain/budgets';
import { RerollError } from '../../shared/domain/errors';
import { describeWorkload } from '../../shared/domain/plan/describe-change';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';

/** A workload asks for more sources than its annotations can record. */
export class BaselineTooLargeError extends RerollError {
  constructor({ record }: TrackedWorkload, sources: number, bytes: number) {
    super(
      `${describeWorkload(record)}: the baseline of its ${String(sources)} sources takes ${String(bytes)} bytes, more than ` +
        `the ${String(budgets.baselineBytes)} that its annotations have room for; make its lists and patterns name fewer sources`,
      { code: 'BASELINE_TOO_LARGE' },
    );
  }
}

/** The value of the baseline annotation. Throws a BaselineTooLargeError. */
export function baselineText(workload: TrackedWorkload, baseline: Baseline): string {
  const text = formatBaseline(baseline);
  if (isLongerThan(text, budgets.baselineBytes))
    throw new BaselineTooLargeError(workload, baseline.sources.size, text.length);
  return text;
}
