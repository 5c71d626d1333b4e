import { beforeEach, expect, it } from '@jest/globals';
import type { Change } from '../../shared/domain/plan/change';
import { GivenRestarts } from './given-restarts';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';

const changes: readonly Change[] = [];
let given: GivenRestarts;

function workload(baselineText: string | undefined, key = 'Deployment/shop/web'): TrackedWorkload {
  return { key, record: { baselineText } } as TrackedWorkload;
}

beforeEach(() => {
  given = new GivenRestarts();
  given.give('Deployment/shop/web', { baselineText: 'new', changes });
});

it('is told once, of the write that brought it', () => {
  expect(given.take(workload('old'))).toBeUndefined();
  expect(given.take(workload('new', 'Deployment/shop/api'))).toBeUndefined();
  expect(given.take(workload('new'))).toBe(changes);
  expect(given.take(workload('new'))).toBeUndefined();
});

it('is not told where the engine has written it after all', () => {
  given.forget('Deployment/shop/web');
  expect(given.take(workload('new'))).toBeUndefined();
});

it('is nothing to a workload that has no baseline, nor ever was given one', () => {
  expect(given.take(workload(undefined, 'Deployment/shop/api'))).toBeUndefined();
});

/** As one question about a large workload brings it. */
const large = Array.from({ length: 400 }, (_, index): Change => {
  const changedKeys = Array.from({ length: 4 }, (_each, key) => `key-${String(key)}`);
  const recorded = new Map(changedKeys.map((key) => [key, 'A'.repeat(22)]));
  const name = `source-${String(index)}`;
  return {
    ...{ id: `cm/${name}`, kind: 'ConfigMap', name, container: 'web', whole: 'A'.repeat(22), decision: 'auto' },
    ...{ comparison: { restart: true, because: 'content-changed', recorded, changedKeys }, attribution: undefined },
  };
});

function giveMany(namespace: string): void {
  for (let index = 0; index < 100; index++) {
    given.give(`Deployment/${namespace}/w-${String(index)}`, { baselineText: 'x'.repeat(200_000), changes: large });
  }
}

it('is forgotten, the oldest first, where far too many are never stored', () => {
  giveMany('shop');
  expect(given.take(workload('new'))).toBeUndefined();
  expect(given.take(workload('x'.repeat(200_000), 'Deployment/shop/w-99'))).toBe(large);
});

it('is not forgotten for what is never stored in another namespace', () => {
  giveMany('tenant');
  expect(given.take(workload('new'))).toBe(changes);
});
