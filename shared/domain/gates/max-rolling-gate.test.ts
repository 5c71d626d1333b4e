import { describe, expect, it } from '@jest/globals';
import type { RollingUnit } from '../gate-settings/rolling-limit';
import { maxRollingGate, type LimitInUse } from './max-rolling-gate';

function inUse(count: number, unit: RollingUnit, workloads: number, pods = workloads): LimitInUse {
  return { setBy: '--max-rolling', limit: { count, unit }, rolling: { workloads, pods } };
}

describe('maxRollingGate', () => {
  it.each<[string, LimitInUse, number, boolean]>([
    ['one place is left', inUse(3, 'workloads', 2), 50, true],
    ['no place is left', inUse(3, 'workloads', 3), 1, false],
    ['more roll than may, because the limit was lowered', inUse(3, 'workloads', 9), 1, false],
    ['there is room for its pods', inUse(20, 'pods', 2, 15), 5, true],
    ['there is no room for its pods', inUse(20, 'pods', 2, 15), 6, false],
    ['it has more pods than the limit, and goes alone', inUse(20, 'pods', 0), 500, true],
    ['there is room, and it is kept for one that comes first', { ...inUse(20, 'pods', 1, 2), isKept: true }, 1, false],
    ['it has no pods, and takes the place of one', inUse(20, 'pods', 1, 20), 0, false],
  ])('%s', (_what, limit, pods, isOpen) => {
    expect(maxRollingGate([limit], { pods }) === undefined).toBe(isOpen);
  });

  it('tells the first limit that is full, and no number that changes', () => {
    const limits = [
      inUse(3, 'workloads', 0),
      { ...inUse(1, 'pods', 1), setBy: 'reroll.dev/max-rolling on namespace shop' },
    ];
    expect(maxRollingGate(limits, { pods: 1 })).toEqual({
      ...{ gate: 'pace', untilMs: undefined },
      detail: 'reroll.dev/max-rolling on namespace shop: 1 pod',
    });
  });

  it('is open without a limit', () => expect(maxRollingGate([], { pods: 9 })).toBeUndefined());
});
