import { beforeEach, expect, it } from '@jest/globals';
import type { Change } from '../../shared/domain/plan/change';
import { InjectedRestarts } from './injected-restarts';
import { trackedWorkload, workloadRecord } from '../../shared/domain/plan/records.fixture';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';

const changes: readonly Change[] = [];
let injected: InjectedRestarts;

function workload(baselineText: string | undefined, key = 'Deployment/shop/web'): TrackedWorkload {
  return trackedWorkload({ ...workloadRecord(), baselineText }, { key });
}

beforeEach(() => {
  injected = new InjectedRestarts();
  injected.add('Deployment/shop/web', { baselineText: 'new', changes });
});

it('an injected restart is reported once, for the write that brought it', () => {
  expect(injected.take(workload('old'))).toBeUndefined();
  expect(injected.take(workload('new', 'Deployment/shop/api'))).toBeUndefined();
  expect(injected.take(workload('new'))).toBe(changes);
  expect(injected.take(workload('new'))).toBeUndefined();
});

it('an injected restart is not reported if the engine wrote it after all', () => {
  injected.forget('Deployment/shop/web');
  expect(injected.take(workload('new'))).toBeUndefined();
});

it('a workload without a baseline, or that nothing was injected into, has none', () => {
  expect(injected.take(workload(undefined, 'Deployment/shop/api'))).toBeUndefined();
});

/** The changes of one question about a large workload. */
const large = Array.from({ length: 400 }, (_, index): Change => {
  const changedKeys = Array.from({ length: 4 }, (_each, key) => `key-${String(key)}`);
  const recorded = new Map(changedKeys.map((key) => [key, 'A'.repeat(22)]));
  const name = `source-${String(index)}`;
  return {
    ...{ id: `cm/${name}`, kind: 'ConfigMap', name, container: 'web', whole: 'A'.repeat(22), decision: 'auto' },
    ...{ comparison: { restart: true, because: 'content-changed', recorded, changedKeys }, attribution: undefined },
    ...{ exists: true, uid: 'uid-app', version: '1', changeId: '9f3e11aa' },
  };
});

function giveMany(namespace: string): void {
  for (let index = 0; index < 100; index++) {
    injected.add(`Deployment/${namespace}/w-${String(index)}`, { baselineText: 'x'.repeat(200_000), changes: large });
  }
}

it('the oldest are forgotten first if far too many are never stored', () => {
  giveMany('shop');
  expect(injected.take(workload('new'))).toBeUndefined();
  expect(injected.take(workload('x'.repeat(200_000), 'Deployment/shop/w-99'))).toBe(large);
});

it('writes that are never stored evict no entry of another namespace', () => {
  giveMany('tenant');
  expect(injected.take(workload('new'))).toBe(changes);
});
