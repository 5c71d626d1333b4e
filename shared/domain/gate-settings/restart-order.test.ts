import { describe, expect, it } from '@jest/globals';
import { maxPredecessors, parsePredecessors, parseWave } from './restart-order';

describe('parseWave', () => {
  it.each([
    ['10', 10],
    ['+10', 10],
    [' -1 ', -1],
    ['0', 0],
    ['1000000', 1_000_000],
    ['1000001', undefined],
    ['1.5', undefined],
    ['', undefined],
    ['first', undefined],
    ['1e3', undefined],
  ])('reads %j as %j', (text, wave) => expect(parseWave(text)).toBe(wave));
});

describe('parsePredecessors', () => {
  it('reads kinds in any case and number, with commas and white space', () => {
    expect(parsePredecessors('deployment/db, StatefulSet/cache,jobs/migrate, ,rollout/a.b')).toEqual([
      { kind: 'Deployment', name: 'db' },
      { kind: 'StatefulSet', name: 'cache' },
      { kind: 'Job', name: 'migrate' },
      { kind: 'Rollout', name: 'a.b' },
    ]);
  });

  it.each([
    ['', 'names no workload'],
    [' , ', 'names no workload'],
    ['db', '"db" is not a kind and a name'],
    ['deployment/', '"deployment/" is not a kind and a name'],
    ['/db', '"/db" is not a kind and a name'],
    ['pod/db', '"pod/db" is not a kind and a name'],
    ['deployment/shop/db', '"deployment/shop/db" is not a kind and a name'],
    ['deployment/DB', '"deployment/DB" is not a kind and a name'],
    [Array.from({ length: maxPredecessors + 1 }, (_, n) => `job/x${n}`).join(), 'names more than 20 workloads'],
  ])('refuses %j', (text, problem) => expect(() => parsePredecessors(text)).toThrow(problem));

  it('reads as many as may be', () => {
    const text = Array.from({ length: maxPredecessors }, (_, n) => `job/x${n}`).join();
    expect(parsePredecessors(text)).toHaveLength(maxPredecessors);
  });
});
