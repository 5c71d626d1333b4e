import { expect, it } from '@jest/globals';
import { workloadRecord } from '../../shared/domain/plan/records.fixture';
import { jobWait } from './job-wait';

const job = workloadRecord({ kind: 'Job' });

it.each([
  ['nothing, of which it knows nothing', 'free', undefined],
  ['the Job that follows it', 'under-way', { kind: 'done', waitsFor: 'job' }],
  ['an entry of a failed attempt that may be stored', 'in-doubt', { kind: 'failed' }],
  ['the Job before it', 'busy', { kind: 'again', afterMs: 1_000, waitsFor: 'earlier-job' }],
] as const)('a Job waits for %s', (_what, standing, wait) => {
  expect(jobWait({ standing: () => standing }, job)).toEqual(wait);
});

it('other workloads do not wait for a Job of the same name', () => {
  expect(jobWait({ standing: () => 'busy' }, workloadRecord())).toBeUndefined();
});
