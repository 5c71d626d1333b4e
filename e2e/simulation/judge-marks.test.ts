import { describe, expect, it } from '@jest/globals';
import { deployment, fromConfigMap } from '../apiserver/cluster';
import type { KubeObject } from '../apiserver/objects';
import { checkMarks, marksOf, type Marked, type MarkedWrite } from './judge-marks';
import type { Violation } from './judge';

const auto = { 'reloader.stakater.com/auto': 'true' };

interface Shape {
  readonly n?: number;
  readonly digest?: string;
  readonly marker?: string;
  readonly image?: string;
  readonly optedIn?: boolean;
}

function workload({ n, digest = 'a', marker, image, optedIn = true }: Shape = {}): KubeObject {
  const baseline =
    n === undefined ? {} : { 'reroll.dev/baseline': JSON.stringify({ v: 1, n, sources: { 'cm/app': digest } }) };
  const env = marker === undefined ? [] : [{ name: 'STAKATER_APP_CONFIGMAP', value: marker }];
  const annotations = { ...(optedIn && auto), ...baseline };
  return deployment({
    ...{ name: 'web', annotations, envFrom: [fromConfigMap('app')], env },
    ...(image !== undefined && { image }),
  }) as unknown as KubeObject;
}

function update(old: Shape, asked: Shape, after: Shape): MarkedWrite {
  return {
    operation: 'UPDATE',
    isDeliberate: false,
    oldObject: workload(old),
    asked: workload(asked),
    after: workload(after),
  };
}

const create = (after: Shape): MarkedWrite => ({
  ...{ operation: 'CREATE', isDeliberate: false, oldObject: undefined },
  ...{ asked: workload(), after: workload(after) },
});

const stored = { n: 3, marker: 'x' };

describe('the judge of what a webhook puts into writes of others', () => {
  it.each<[string, MarkedWrite, readonly Marked[]]>([
    ['a record in a creation', create({ n: 1 }), ['born']],
    ['record and marker that a replacement keeps', update(stored, {}, stored), ['kept', 'template kept']],
    ['a record alone, where the pods are replaced', update(stored, { image: '2' }, { n: 3, image: '2' }), ['kept']],
    [
      'a restart that is folded into a rollout',
      update(stored, { image: '2' }, { n: 4, digest: 'b', marker: 'y', image: '2' }),
      ['folded'],
    ],
    ['a record that a person takes away by name', { ...update({ n: 3 }, {}, {}), isDeliberate: true }, []],
    ['a marker that a person takes away', { ...update(stored, { n: 3 }, { n: 3 }), isDeliberate: true }, []],
    [
      'a restart that is folded into a rollback to a former marker',
      update(stored, { n: 2, marker: 'w' }, { n: 4, digest: 'b', marker: 'y' }),
      ['folded'],
    ],
    ['nothing of what opts out', update(stored, { optedIn: false }, { optedIn: false }), []],
    ['nothing of what keeps everything itself', update(stored, stored, stored), []],
  ])('finds nothing wrong with %s', (_, write, marked) => {
    expect(checkMarks(write)).toEqual([]);
    expect(marksOf(write)).toEqual(marked);
  });

  it.each<[string, MarkedWrite, Violation['promise']]>([
    ['a record that stays lost', update(stored, {}, { marker: 'x' }), 'baseline apart from template'],
    [
      'a record that a person loses with something else',
      { ...update({ n: 3 }, { image: '2' }, { image: '2' }), isDeliberate: true },
      'baseline apart from template',
    ],
    ['an older record', update(stored, stored, { n: 2, marker: 'x' }), 'baseline apart from template'],
    [
      'another record of the same number',
      update(stored, { image: '2' }, { n: 3, digest: 'b', marker: 'y', image: '2' }),
      'baseline apart from template',
    ],
    ['a marker that stays lost', update(stored, {}, { n: 3 }), 'restart without reason'],
    ['another marker in its place', update(stored, {}, { n: 3, marker: 'y' }), 'restart without reason'],
    [
      'a change that is recorded without a marker',
      update(stored, { image: '2' }, { n: 4, digest: 'b', image: '2' }),
      'missed change',
    ],
    [
      'a change that is recorded where no pods are replaced',
      update(stored, stored, { n: 4, digest: 'b', marker: 'y' }),
      'missed change',
    ],
    ['a mark on what opts out', update(stored, { optedIn: false }, { n: 3, optedIn: false }), 'foreign write'],
    ['another image', update(stored, stored, { ...stored, image: '2' }), 'foreign write'],
  ])('finds %s', (_, write, promise) => {
    expect(checkMarks(write).map((violation) => violation.promise)).toContain(promise);
  });
});
