import { beforeEach, describe, expect, it } from '@jest/globals';
import { workloadKey } from '../../shared/domain/plan/tracked-workload';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { MissedTurns } from './missed-turns';

const web = workloadKey('Deployment', 'shop', 'web');

let clock: FakeClock;
let turns: MissedTurns;

beforeEach(() => {
  clock = new FakeClock();
  turns = new MissedTurns(clock, 60_000);
});

describe('a workload that could restart and did not', () => {
  it('is stuck after the deadline, counted from the first time', async () => {
    turns.missed(web);
    await clock.advance(59_000);
    turns.missed(web);
    expect(turns.isStuck(web)).toBe(false);
    await clock.advance(1_000);
    expect(turns.isStuck(web)).toBe(true);
  });

  it('is not stuck once it is forgotten, nor if it never missed a turn', async () => {
    turns.missed(web);
    await clock.advance(60_000);
    turns.forget(web);
    expect(turns.isStuck(web)).toBe(false);
    expect(turns.isStuck(workloadKey('Deployment', 'shop', 'other'))).toBe(false);
  });
});
