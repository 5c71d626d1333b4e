import { describe, expect, it } from '@jest/globals';
import { candidateOf } from './candidates';
import { appConfig, auto, workloadRecord, type WorkloadOptions } from './records.fixture';

const lists = (names: string) => ({ annotations: { 'configmap.reloader.stakater.com/reload': names }, uses: [] });

describe('candidateOf', () => {
  it.each<[string, WorkloadOptions, object | undefined]>([
    ['uses it whole', {}, { ...appConfig, keys: 'all', container: 'main' }],
    ['uses a key of it', { keys: ['color'] }, { ...appConfig, keys: ['color'], container: 'main' }],
    ['lists its name', lists('app,other'), { ...appConfig, keys: 'all', container: 'main' }],
    ['lists a pattern that matches it', lists('ap+'), { ...appConfig, keys: 'all', container: 'main' }],
    ['lists another name', lists('other'), undefined],
    ['lists a pattern that does not match it', lists('x.*'), undefined],
    ['uses another', { annotations: auto, uses: ['cm/other', 'secret/app'] }, undefined],
  ])('a workload that %s', (_what, options, candidate) => {
    expect(candidateOf(appConfig, { record: workloadRecord(options) })).toEqual(candidate);
  });
});
