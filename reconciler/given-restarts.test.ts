import { beforeEach, expect, it } from '@jest/globals';
import type { Change } from './change';
import { GivenRestarts } from './given-restarts';
import type { TrackedWorkload } from './workload-index';

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

it('is forgotten, the oldest first, where far too many are never stored', () => {
  for (let index = 0; index < 1_000; index++) {
    given.give(`Deployment/shop/w-${String(index)}`, { baselineText: 'new', changes });
  }
  expect(given.take(workload('new'))).toBeUndefined();
  expect(given.take(workload('new', 'Deployment/shop/w-0'))).toBe(changes);
});
