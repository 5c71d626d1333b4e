import { expect, it } from '@jest/globals';
import { workloadStates } from '../../../shared/domain/protocol/workload-status';
import { knownState, stateShapes } from './state-shapes';

it('each state has a shape of its own, but for the two that end by themselves', () => {
  const others = workloadStates.filter((state) => state !== 'waiting');
  expect(new Set(others.map((state) => stateShapes[state])).size).toBe(others.length);
  expect(stateShapes.waiting).toBe(stateShapes.pending);
});

it.each([
  ['unhealthy', 'unhealthy'],
  ['of-a-newer-leader', 'unknown'],
  ['toString', 'unknown'],
])('the state %s is shown as %s', (state, shown) => {
  expect(knownState(state)).toBe(shown);
});
