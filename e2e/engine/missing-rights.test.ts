import { describe, expect, it } from '@jest/globals';
import { accessReviewPath } from '../apiserver/access-review';
import type { FaultTarget } from '../apiserver/faults';
import type { Harness } from './harness';
import { type Engine, engineUser, usualLease } from './harness';
import { chartRules, seeded, warnings } from './rights.fixture';

const asksForRights = ({ pathname }: FaultTarget): boolean => pathname === accessReviewPath;
const asksWhetherReady = ({ pathname }: FaultTarget): boolean => pathname === '/readyz';
const own =
  'acting as if alone, without a right to the Lease, with its own digest key, so changes made while it is down restart nothing';

/** A cluster in which the engine has only the permissions of Reloader's chart. */
function restricted(): Harness {
  const harness = seeded();
  harness.leaseTimings = usualLease;
  harness.server.rbac.restrict(engineUser, chartRules);
  return harness;
}

const doesWithout = (engine: Engine): readonly string[] =>
  warnings(engine, /^missing permission for the (digest key|Lease)/);

describe('a missing permission', () => {
  it('is known at once, because the API server answers access reviews', async () => {
    const harness = restricted();
    const engine = harness.launch();
    await harness.clock.advance(1_000);
    expect(engine.reconciler.status.remark).toBe(own);
    const asked = harness.server.requests().filter(({ resource }) => resource === accessReviewPath);
    // One access review for the digest key, one for the Lease.
    expect(asked).toHaveLength(2);
    await harness.clock.advance(120_000);
    expect(harness.server.requests().filter(({ resource }) => resource === accessReviewPath)).toHaveLength(2);
  });

  it('is known after a while if the server refuses access reviews', async () => {
    const harness = restricted();
    harness.faults.add({ match: asksForRights, fault: { kind: 'status', code: 403 } });
    const engine = harness.launch();
    await harness.clock.advance(14_000);
    expect(doesWithout(engine)).toEqual([]);
    await harness.clock.advance(30_000);
    expect(engine.reconciler.status.remark).toBe(own);
  });

  it.each<[string, (target: FaultTarget) => boolean, number]>([
    ['and refuses everything', () => true, 403],
    ['and does not know the RBAC bindings yet', asksWhetherReady, 500],
  ])('is not concluded from an API server that has just started %s', async (_what, match, code) => {
    const harness = seeded();
    harness.leaseTimings = usualLease;
    if (code !== 403) harness.server.rbac.restrict(engineUser, []);
    const recover = harness.faults.add({ match, fault: { kind: 'status', code } });
    const engine = harness.launch();
    await harness.clock.advance(12_000);
    recover();
    harness.server.rbac.unrestrict(engineUser);
    await harness.clock.advance(60_000);
    expect(engine.reconciler.status).toMatchObject({ state: 'acting', remark: undefined });
    expect(doesWithout(engine)).toEqual([]);
  });

  it('is not concluded if the server refuses what its access review allows', async () => {
    const harness = seeded();
    harness.leaseTimings = usualLease;
    const about = /\/(leases|secrets)\/(reroll|reroll-digest-key)$/;
    harness.faults.add({ match: ({ pathname }) => about.test(pathname), fault: { kind: 'status', code: 403 } });
    const engine = harness.launch();
    await harness.clock.advance(60_000);
    expect(doesWithout(engine)).toEqual([]);
    expect(engine.reconciler.status.problem).toMatch(/^digest key: .*403/);
  });
});
