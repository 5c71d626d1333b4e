import { expect, it } from '@jest/globals';
import type { ProcessUsage } from '../process-usage';
import { holds } from '../result';
import { heldFigures, type HeldRestarts } from './figures';

const mib = 1024 * 1024;
const usage = (residentMib: number): ProcessUsage => ({
  ...{ residentBytes: residentMib * mib, peakResidentBytes: residentMib * mib, cpuSeconds: 0 },
});

const seen: HeldRestarts = {
  ...{ size: 2, tookHoldMs: 3_000 },
  notOwed: [usage(80), usage(81), usage(90)],
  held: [usage(84), usage(85), usage(70)],
  ...{ before: usage(80), after: usage(92) },
  quiet: { seconds: 60, cpuSeconds: 0.3, timerSeconds: 0.15, requests: [], newTemplates: 0, looks: 0 },
  released: {
    ...{ tookMs: 20_000, cpuSeconds: 4, heldBytes: 90 * mib, peakBytes: 100 * mib },
    ...{ newTemplates: ['team-0/app-0', 'team-0/app-1'], patches: 2 },
  },
};

const tell = (all: HeldRestarts) =>
  Object.fromEntries(heldFigures(all).map((figure) => [figure.name, [figure.value, holds(figure)]]));

it('holds every bar', () =>
  expect(tell(seen)).toEqual({
    'started with nothing owed: RSS': [81, undefined],
    'started with all owed and held: RSS': [84, undefined],
    'RSS more of a start': [3, true],
    'from the edits until all are held': [3, undefined],
    'RSS more of the process that saw the edits': [12, undefined],
    'requests while held, besides watches and the Lease': [0, true],
    'new templates while held': [0, true],
    'looks at workloads while held': [0, true],
    'CPU while held, of a core': [0.5, true],
    'the same, of a process with a timer alone': [0.25, undefined],
    'from the release to the last new template': [20, undefined],
    'CPU for a released restart': [2_000, undefined],
    'peak RSS over that while held': [10, undefined],
    'PATCH for them': [2, true],
    'Deployments not restarted exactly once': [0, true],
  }));

it('misses the bars of a hold that asks, spins, leaks and restarts twice', () => {
  const requests = [{ verb: 'get', resource: 'deployments', path: '', atMs: 0 }];
  const newTemplates = ['team-0/app-0', 'team-0/app-0'];
  expect(
    tell({
      ...seen,
      held: [usage(87)],
      quiet: { seconds: 60, cpuSeconds: 60, timerSeconds: 0.15, requests, newTemplates: 1, looks: 1 },
      released: { ...seen.released, newTemplates, patches: 3 },
    }),
  ).toMatchObject({
    'RSS more of a start': [6, false],
    'requests while held, besides watches and the Lease': [1, false],
    'new templates while held': [1, false],
    'looks at workloads while held': [1, false],
    'CPU while held, of a core': [100, false],
    'PATCH for them': [3, false],
    'Deployments not restarted exactly once': [2, false],
  });
});
