import { describe, expect, it } from '@jest/globals';
import { formatBaseline } from '../../shared/domain/baseline';
import { workloadObject, type WorkloadOptions } from '../records.fixture';
import { readAgain, StaleWorkloadError } from './read-again';
import { baselineOf, restartOf } from './restart.fixture';

const baseline = formatBaseline(baselineOf(1));
const planned = restartOf({ baseline }).workload;

describe('readAgain', () => {
  it('gives the workload at the version just read', () => {
    const read = readAgain(planned, workloadObject({ baseline, resourceVersion: '17' }));
    expect(read).toEqual({ ...planned, record: { ...planned.record, resourceVersion: '17' } });
  });

  it('takes no baseline for the same as none', () => {
    const { workload } = restartOf();
    expect(readAgain(workload, workloadObject({ resourceVersion: '17' })).record.resourceVersion).toBe('17');
    expect(() => readAgain(workload, workloadObject({ annotations: {} }))).not.toThrow();
  });

  it.each<[string, WorkloadOptions]>([
    ['another object', { baseline, uid: 'second' }],
    ['another baseline', { baseline: formatBaseline(baselineOf(2)) }],
    ['a baseline that is gone', {}],
  ])('throws for %s, and names the workload', (_what, options) => {
    const read = (): unknown => readAgain(planned, workloadObject(options));
    expect(read).toThrow(StaleWorkloadError);
    expect(read).toThrow('Deployment shop/web has changed since its restart was planned');
  });
});
