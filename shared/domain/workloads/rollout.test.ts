import { describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys as keys } from '../annotations/annotations';
import { readRollout } from './rollout';

describe('§6.3 the strategy of a Rollout', () => {
  it.each([
    ['restart', 'restart', 0],
    ['rollout', 'rollout', 0],
    [undefined, 'rollout', 0],
    ['Restart', 'rollout', 1],
    [' restart', 'rollout', 1],
    ['true', 'rollout', 1],
    ['', 'rollout', 1],
  ] as const)('%j means %s', (value, strategy, problems) => {
    const metadata = value === undefined ? {} : { [keys.rolloutStrategy]: value };
    const read = readRollout({}, metadata, keys);
    expect(read.rollout.strategy).toBe(strategy);
    expect(read.problems).toHaveLength(problems);
  });

  it('names key, value and fix for an invalid value', () => {
    expect(readRollout({}, { [keys.rolloutStrategy]: 'Restart' }, keys).problems).toEqual([
      expect.objectContaining({ key: keys.rolloutStrategy, value: 'Restart', fix: 'use rollout or restart' }),
    ]);
  });

  it('is read from the configured key', () => {
    const renamed = { rolloutStrategy: 'example.com/how' };
    expect(readRollout({}, { 'example.com/how': 'restart' }, renamed).rollout.strategy).toBe('restart');
  });
});

describe('§6.3 spec.workloadRef', () => {
  it.each([
    [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      { kind: 'Deployment', name: 'web' },
    ],
    [{ kind: 'Deployment' }, undefined],
    [{ kind: 'Deployment', name: 7 }, undefined],
    [null, undefined],
    ['web', undefined],
  ])('%j is read as %j', (workloadRef, read) => {
    expect(readRollout({ spec: { workloadRef } }, {}, keys).rollout.workloadRef).toEqual(read);
  });
});
