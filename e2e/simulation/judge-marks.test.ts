import { describe, expect, it } from '@jest/globals';
import { deployment, fromConfigMap } from '../apiserver/cluster';
import { withValueAt } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import { checkMarks, marksOf, type Marked, type MarkedWrite } from './judge-marks';
import type { Violation } from './judge';

const auto = { 'reloader.stakater.com/auto': 'true' };

const restartedAt = '2026-01-01T00:00:09.981Z';

interface Shape {
  /** The `kubectl.kubernetes.io/restartedAt` of the pod template. */
  readonly restartedAt?: string;
  /** The time in `reroll.dev/last-restart`. */
  readonly lastRestartAt?: string;
  readonly n?: number;
  /** The uid of the object that the baseline was written for. */
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

describe('the judge, for what the webhook adds to writes of others', () => {
  it.each<[string, MarkedWrite, readonly Marked[]]>([
    ['a baseline in a creation', create({ n: 1 }), ['born']],
    ['a replacement that keeps baseline and restart marker', update(stored, {}, stored), ['kept', 'template kept']],
    [
      'a replacement with a new image that keeps only the baseline',
      update(stored, { image: '2' }, { n: 3, image: '2' }),
      ['kept'],
    ],
    [
      'a restart that coalesces with a rollout',
      update(stored, { image: '2' }, { n: 4, digest: 'b', marker: 'y', image: '2' }),
      ['folded'],
    ],
    ['a baseline that a user removed on purpose', { ...update({ n: 3 }, {}, {}), isDeliberate: true }, []],
    [
      'a restart marker that a user removed on purpose',
      { ...update(stored, { n: 3 }, { n: 3 }), isDeliberate: true },
      [],
    ],
    [
      'a restart that coalesces with a rollback to a former marker',
      update(stored, { n: 2, marker: 'w' }, { n: 4, digest: 'b', marker: 'y' }),
      ['folded'],
    ],
    [
      'the removal of a restartedAt that is not known to be from Reroll',
      update({ n: 3, restartedAt }, {}, { n: 3 }),
      ['kept'],
    ],
    [
      'the removal of a restartedAt that is later than the last restart by Reroll',
      update({ n: 3, restartedAt, lastRestartAt: '2026-01-01T00:00:01.000Z' }, {}, { n: 3 }),
      ['kept'],
    ],
    [
      'a rollback to another baseline with the same sequence number',
      update(stored, { n: 3, digest: 'b', image: '2' }, { n: 3, digest: 'b', image: '2' }),
      [],
    ],
    [
      'a first baseline in place of one that a rollback brings from a former object',
      update({}, { n: 1, uid: 'earlier', digest: 'b', image: '2' }, { n: 1, image: '2' }),
      [],
    ],
    ['no addition to a workload that opts out', update(stored, { optedIn: false }, { optedIn: false }), []],
    ['no addition to a write that keeps everything itself', update(stored, stored, stored), []],
  ])('accepts %s', (_, write, marked) => {
    expect(checkMarks(write)).toEqual([]);
    expect(marksOf(write)).toEqual(marked);
  });

  it.each<[string, MarkedWrite, Violation['promise']]>([
    ['a baseline that stays lost', update(stored, {}, { marker: 'x' }), 'baseline apart from template'],
    [
      'a baseline that a user loses together with another change',
      { ...update({ n: 3 }, { image: '2' }, { image: '2' }), isDeliberate: true },
      'baseline apart from template',
    ],
    ['an older baseline', update(stored, stored, { n: 2, marker: 'x' }), 'baseline apart from template'],
    [
      'another baseline with the same sequence number',
      update(stored, { image: '2' }, { n: 3, digest: 'b', marker: 'y', image: '2' }),
      'baseline apart from template',
    ],
    ['a restart marker that stays lost', update(stored, {}, { n: 3 }), 'restart without reason'],
    [
      'a restartedAt from Reroll that stays lost',
      update({ n: 3, restartedAt, lastRestartAt: restartedAt }, {}, { n: 3, lastRestartAt: restartedAt }),
      'restart without reason',
    ],
    [
      'another restart marker in place of the lost one',
      update(stored, {}, { n: 3, marker: 'y' }),
      'restart without reason',
    ],
    [
      'a change that is recorded without a restart marker',
      update(stored, { image: '2' }, { n: 4, digest: 'b', image: '2' }),
      'missed change',
    ],
    [
      'a change that is recorded although no pods are replaced',
      update(stored, stored, { n: 4, digest: 'b', marker: 'y' }),
      'missed change',
    ],
    [
      'a baseline on a workload that opts out',
      update(stored, { optedIn: false }, { n: 3, optedIn: false }),
      'foreign write',
    ],
    ['a change of the image', update(stored, stored, { ...stored, image: '2' }), 'foreign write'],
  ])('reports %s', (_, write, promise) => {
    expect(checkMarks(write).map((violation) => violation.promise)).toContain(promise);
  });
});
