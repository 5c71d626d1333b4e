import { beforeEach, describe, expect, it } from '@jest/globals';
import { workloadKey } from '../../shared/domain/plan/tracked-workload';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { HealthySince } from './healthy-since';

const web = workloadKey('Deployment', 'shop', 'web');

let clock: FakeClock;
let healthy: HealthySince;

beforeEach(async () => {
  clock = new FakeClock();
  healthy = new HealthySince(clock);
  healthy.sinceMs(web, 'one', 'healthy');
  await clock.advance(5_000);
});

describe('since when a workload is healthy', () => {
  it.each([
    ['is kept while it is', 'one', 'healthy', 0],
    ['is kept while nothing shows how it is', 'one', 'unknown', 0],
    ['begins anew with another restart', 'two', 'healthy', 5_000],
    ['is not known of one that rolls', 'one', 'rolling', undefined],
  ] as const)('%s', (_what, id, state, afterMs) => {
    const beganMs = clock.monotonicMs() - 5_000;
    expect(healthy.sinceMs(web, id, state)).toBe(afterMs === undefined ? undefined : beganMs + afterMs);
  });

  it.each([
    ['breaks when it was shown otherwise meanwhile', 'failed'],
    ['breaks when it is gone', undefined],
  ] as const)('%s', (_what, state) => {
    healthy.shown(web, state);
    expect(healthy.sinceMs(web, 'one', 'healthy')).toBe(clock.monotonicMs());
  });
});
