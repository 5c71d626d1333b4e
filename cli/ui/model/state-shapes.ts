import type { WorkloadStatus } from '../../../shared/domain/protocol/workload-status';

type State = WorkloadStatus['state'];

const clock = 'M8 4v4l2.5 2.5';

/** Shapes beside colours: some people see no difference between red and green. */
export const stateShapes: Readonly<Record<State, string>> = {
  'in-step': 'M3.5 8.5 6.5 11.5 12.5 4.5',
  pending: clock,
  waiting: clock,
  blocked: 'M8 4.5v4.5M8 11.6v.2',
  unhealthy: 'M5.5 5.5l5 5M10.5 5.5l-5 5',
  unknown: 'M6 6a2 2 0 1 1 2.6 2c-.4.2-.6.5-.6 1M8 11.6v.2',
};

/** A newer leader may tell a state that this version does not know. */
export function knownState(state: string): State {
  return isKnown(state) ? state : 'unknown';
}

function isKnown(state: string): state is State {
  return Object.hasOwn(stateShapes, state);
}
