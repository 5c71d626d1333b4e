import { describe, expect, it } from '@jest/globals';
import { formatBaseline } from '../../shared/domain/baseline/baseline';
import { workloadObject, type WorkloadOptions } from '../../shared/domain/plan/records.fixture';
import { readAgain, StaleWorkloadError } from './read-again';
import { baselineOf, read, restartOf } from './restart.fixture';

const baseline = formatBaseline(baselineOf(1));
const app = { configMapRef: { name: 'app' } };
const planned = restartOf({ baseline }).workload;

describe('readAgain', () => {
  it('returns the workload at the version just read', () => {
    const again = readAgain({ read }, planned, workloadObject({ baseline, resourceVersion: '17' }));
    expect(again).toEqual({ ...planned, record: { ...planned.record, resourceVersion: '17' } });
  });

  it('considers a missing baseline unchanged if there was none', () => {
    const { workload } = restartOf();
    expect(readAgain({ read }, workload, workloadObject({ resourceVersion: '17' })).record.resourceVersion).toBe('17');
  });

  it.each<[string, WorkloadOptions]>([
    ['another object', { baseline, uid: 'second' }],
    ['another baseline', { baseline: formatBaseline(baselineOf(2)) }],
    ['a removed baseline', {}],
    ['a use of other sources', { baseline, uses: ['cm/other'] }],
    ['an opt-out', { baseline, annotations: {} }],
    ['another name of its container', { baseline, containers: [{ name: 'renamed', envFrom: [app] }] }],
    ['another container that uses it', { baseline, containers: [{ name: 'main' }, { name: 'app', envFrom: [app] }] }],
    ['another container before it', { baseline, containers: [{ name: 'proxy' }, { name: 'main', envFrom: [app] }] }],
    [
      'another strategy',
      { baseline, annotations: { 'reloader.stakater.com/auto': 'true', 'reroll.dev/strategy': 'env-vars' } },
    ],
    [
      'another policy',
      { baseline, annotations: { 'reloader.stakater.com/auto': 'true', 'reroll.dev/job-policy': 'never' } },
    ],
    ['a hold', { baseline, annotations: { 'reloader.stakater.com/auto': 'true', 'reroll.dev/hold': 'true' } }],
  ])('throws for %s, and names the workload', (_what, options) => {
    const again = (): unknown => readAgain({ read }, planned, workloadObject(options));
    expect(again).toThrow(StaleWorkloadError);
    expect(again).toThrow('Deployment shop/web has changed since its restart was planned');
  });

  it('throws for another strategy of a Rollout', () => {
    const auto = { 'reloader.stakater.com/auto': 'true' };
    const annotations = { ...auto, 'reloader.stakater.com/rollout-strategy': 'restart' };
    const ofRollout = { ...planned, record: read('Rollout', workloadObject({ baseline })) };
    expect(() => readAgain({ read }, ofRollout, workloadObject({ baseline }))).not.toThrow();
    expect(() => readAgain({ read }, ofRollout, workloadObject({ baseline, annotations }))).toThrow(StaleWorkloadError);
  });
});
