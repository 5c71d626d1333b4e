import { describe, expect, it } from '@jest/globals';
import { auto, policySettings, workloadRecord, type WorkloadOptions } from '../../shared/domain/plan/records.fixture';
import type { SourceId } from '../../shared/domain/sources/source';
import { unrecordedSince, type WorkloadBefore } from './unrecorded-since';

const uses: readonly SourceId[] = ['cm/app', 'secret/db'];
const listed = { 'secret.reloader.stakater.com/reload': 'key,pattern-.*' };

/** A workload that has used its sources since 5, with a record of ConfigMap `app` alone. */
function before(options: WorkloadOptions = {}, more: Partial<WorkloadBefore> = {}): WorkloadBefore {
  const record = workloadRecord({ uses, ...options });
  const baseline = { sequence: 1, keyId: 'k', sources: new Map([['cm/app', 'digest'] as const]) };
  return { record, baseline, referencedSinceMs: 5, unrecordedSince: new Map(), ...more };
}

const carried = (was: WorkloadBefore | undefined, now: WorkloadOptions = {}) => [
  ...unrecordedSince(was, workloadRecord({ uses, ...now }), policySettings),
];

describe('since when a workload has used what it has no record of', () => {
  it.each<[string, WorkloadBefore | undefined, ReturnType<typeof carried>]>([
    ['is remembered of what counted', before(), [['secret/db', 5]]],
    ['is remembered of what was named', before({ annotations: { ...listed, ...auto } }), [['secret/db', 5], ['secret/key', 5]]], // prettier-ignore
    ['is the first time, after several edits', before({}, { unrecordedSince: new Map([['secret/db', 3]]) }), [['secret/db', 3]]], // prettier-ignore
    ['is not remembered of what did not count', before({ annotations: { 'configmap.reloader.stakater.com/auto': 'true' } }), []], // prettier-ignore
    ['is not remembered of a workload without any record', before({}, { baseline: undefined }), []],
    ['is not remembered of one that was not there', undefined, []],
  ])('%s', (_what, was, expected) => {
    expect(carried(was)).toEqual(expected);
  });

  it('begins anew when the template uses other sources: its pods roll', () => {
    expect(carried(before(), { uses: ['cm/app', 'secret/db', 'cm/more'] })).toEqual([]);
  });
});
