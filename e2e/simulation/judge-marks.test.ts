import { describe, expect, it } from '@jest/globals';
import { deployment, fromConfigMap } from '../apiserver/cluster';
import { withValueAt } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import { checkMarks, marksOf, type Marked, type MarkedWrite } from './judge-marks';
import type { Violation } from './judge';

const auto = { 'reloader.stakater.com/auto': 'true' };

const restartedAt = '2026-01-01T00:00:09.981Z';

interface Shape {
  /** On the pod template. */
  readonly restartedAt?: string;
  /** The time in `reroll.dev/last-restart`. */
  readonly lastRestartAt?: string;
  readonly n?: number;
  /** Of the object that the baseline was written for. */
  readonly uid?: string;
  readonly digest?: string;
  readonly marker?: string;
  readonly image?: string;
  readonly optedIn?: boolean;
}

function workload(shape: Shape = {}): KubeObject {
  const { n, uid, digest = 'a', marker, image, optedIn = true, lastRestartAt } = shape;
  const baseline =
    n === undefined ? {} : { 'reroll.dev/baseline': JSON.stringify({ v: 1, n, uid, sources: { 'cm/app': digest } }) };
  const env = marker === undefined ? [] : [{ name: 'STAKATER_APP_CONFIGMAP', value: marker }];
  const lastRestart =
    lastRestartAt === undefined ? {} : { 'reroll.dev/last-restart': JSON.stringify({ at: lastRestartAt, id: '1f' }) };
  const annotations = { ...(optedIn && auto), ...baseline, ...lastRestart };
  const made = deployment({
    ...{ name: 'web', annotations, envFrom: [fromConfigMap('app')], env },
    ...(image !== undefined && { image }),
  }) as unknown as KubeObject;
  if (shape.restartedAt === undefined) return made;
  const path = ['spec', 'template', 'metadata', 'annotations', 'kubectl.kubernetes.io/restartedAt'];
  return withValueAt(made, path, shape.restartedAt) as unknown as KubeObject;
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
    [
      'a time of restart that nothing tells to be ours, and a replacement removes',
      update({ n: 3, restartedAt }, {}, { n: 3 }),
      ['kept'],
    ],
    [
      'one that is later than the last restart that is told of',
      update({ n: 3, restartedAt, lastRestartAt: '2026-01-01T00:00:01.000Z' }, {}, { n: 3 }),
      ['kept'],
    ],
    [
      'a rollback to another record of the same number',
      update(stored, { n: 3, digest: 'b', image: '2' }, { n: 3, digest: 'b', image: '2' }),
      [],
    ],
    [
      'a first record instead of one that a rollback brings from an earlier object',
      update({}, { n: 1, uid: 'earlier', digest: 'b', image: '2' }, { n: 1, image: '2' }),
      [],
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
    [
      'our own time of restart that stays lost',
      update({ n: 3, restartedAt, lastRestartAt: restartedAt }, {}, { n: 3, lastRestartAt: restartedAt }),
      'restart without reason',
    ],
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
