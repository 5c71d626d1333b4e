import { expect, it } from '@jest/globals';
import { formatBaseline, parseBaseline, type Baseline } from '../../shared/domain/baseline/baseline';
import { blue } from '../../shared/domain/plan/change.fixture';
import type { SourceId } from '../../shared/domain/sources/source';
import { baselineText } from './baseline-too-large-error';
import { baselineOf, restartOf } from './restart.fixture';

const { workload } = restartOf();

/** Each takes about fifty bytes. */
function withSources(count: number): Baseline {
  const names = Array.from({ length: count }, (_, index): SourceId => `cm/settings-of-service-${index}`);
  return { ...baselineOf(2), sources: new Map(names.map((id) => [id, blue])) };
}

it('writes a baseline for which the annotations have room', () => {
  expect(parseBaseline(baselineText(workload, withSources(3_000))).sources.size).toBe(3_000);
});

it('refuses one for which they have none, and says how large it is and what helps', () => {
  const baseline = withSources(5_000);
  expect(() => baselineText(workload, baseline)).toThrow(
    `Deployment shop/web: the baseline of its 5000 sources takes ${formatBaseline(baseline).length} bytes, more than the ` +
      '204800 that its annotations have room for; make its lists and patterns name fewer sources',
  );
});
