import { expect, test } from '@jest/globals';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { noMarks, type TemplateMarker } from '../../shared/domain/marks/workload-marks';
import { workloadPatch } from './workload-patch';

const env = '/spec/template/spec/containers/1/env';
const mark = { container: 'web', name: 'M', value: 'v' };
const set = { name: 'M', value: 'v' };

function workload(variables: readonly object[] | undefined, metadata: object | null = {}) {
  const containers = [{ name: 'first' }, { name: 'web', ...(variables && { env: variables }) }];
  return { metadata: {}, spec: { template: { metadata, spec: { containers } } } };
}

test.each<[string, object, Partial<TemplateMarker>, readonly object[]]>([
  ['nothing', workload([]), {}, []],
  ['an annotation for a template that does not exist', { metadata: {}, spec: {} }, { annotations: { a: 'b' } }, []],
  ['a first variable', workload(undefined), { env: [mark] }, [{ op: 'add', path: env, value: [set] }]],
  ['a variable at the end', workload([{ name: 'A' }]), { env: [mark] }, [{ op: 'add', path: `${env}/1`, value: set }]],
  [
    'a variable at its old index',
    workload([{ name: 'A' }]),
    { env: [{ ...mark, index: 0 }] },
    [{ op: 'add', path: `${env}/0`, value: set }],
  ],
  [
    'a variable whose old index is beyond the end',
    workload([{ name: 'A' }]),
    { env: [{ ...mark, index: 7 }] },
    [{ op: 'add', path: `${env}/1`, value: set }],
  ],
  [
    'a variable that replaces its old value',
    workload([{ name: 'A' }, { name: 'M', valueFrom: {} }]),
    { env: [mark] },
    [{ op: 'replace', path: `${env}/1`, value: set }],
  ],
  [
    'two variables, in order',
    workload([{ name: 'A' }]),
    {
      env: [
        { ...mark, index: 0 },
        { ...mark, name: 'N', index: 2 },
      ],
    },
    [
      { op: 'add', path: `${env}/0`, value: set },
      { op: 'add', path: `${env}/2`, value: { name: 'N', value: 'v' } },
    ],
  ],
  [
    'a variable at its index, and another before it',
    workload([{ name: 'A' }, { name: 'M' }]),
    {
      env: [
        { ...mark, name: 'N', index: 0 },
        { ...mark, index: 1 },
      ],
    },
    [
      { op: 'replace', path: `${env}/1`, value: set },
      { op: 'add', path: `${env}/0`, value: { name: 'N', value: 'v' } },
    ],
  ],
  [
    'one variable for two with the same name',
    workload([{ name: 'A' }]),
    { env: [{ ...mark, value: 'former' }, mark] },
    [{ op: 'add', path: `${env}/1`, value: set }],
  ],
  ['no variable for a container that does not exist', workload([]), { env: [{ ...mark, container: 'gone' }] }, []],
  [
    'an annotation for a template that has one',
    workload([], { annotations: { a: '1' } }),
    { annotations: { 'x~y/z': 'v' } },
    [{ op: 'add', path: '/spec/template/metadata/annotations/x~0y~1z', value: 'v' }],
  ],
  [
    'an annotation for a template without any',
    workload([], { annotations: null }),
    { annotations: { a: 'v' } },
    [{ op: 'add', path: '/spec/template/metadata/annotations', value: { a: 'v' } }],
  ],
  [
    'an annotation for a template without metadata',
    workload([], null),
    { annotations: { a: 'v' } },
    [{ op: 'add', path: '/spec/template/metadata', value: { annotations: { a: 'v' } } }],
  ],
])('%s', (_what, object, marker, operations) => {
  const marks = { ...noMarks, template: { ...noMarks.template, ...marker } };
  expect(workloadPatch(workloadKind('Deployment'), object, marks)).toEqual(operations);
});

test('annotations go on the CronJob, and its marker into the template of its Jobs', () => {
  const object = { metadata: { annotations: {} }, spec: { jobTemplate: { spec: { template: { metadata: {} } } } } };
  const marks = { annotations: { a: '1' }, template: { annotations: { b: '2' }, env: [] } };
  expect(workloadPatch(workloadKind('CronJob'), object, marks)).toEqual([
    { op: 'add', path: '/metadata/annotations/a', value: '1' },
    { op: 'add', path: '/spec/jobTemplate/spec/template/metadata/annotations', value: { b: '2' } },
  ]);
});

test.each<[string, string, number, boolean]>([
  ['with as much as they may have', 'x', 262_144, true],
  ['with a byte more', 'x', 262_145, false],
  ['with as many characters, of two bytes each', 'é', 262_146, false],
])('annotations %s are patched or left alone', (_what, character, bytes, isPatched) => {
  const mine = { mine: character.repeat((bytes - 'mine'.length - 'new1'.length) / Buffer.byteLength(character)) };
  const marks = { annotations: { new: '1' }, template: { annotations: { b: '2' }, env: [] } };
  const object = { ...workload([]), metadata: { annotations: mine } };
  expect(workloadPatch(workloadKind('Deployment'), object, marks)).toHaveLength(isPatched ? 2 : 0);
  const inTemplate = { annotations: {}, template: { annotations: { new: '1' }, env: [mark] } };
  const ofTemplate = workload([], { annotations: mine });
  expect(workloadPatch(workloadKind('Deployment'), ofTemplate, inTemplate)).toHaveLength(isPatched ? 2 : 0);
});

test('an annotation that is replaced by a smaller one needs no room', () => {
  const object = { ...workload([]), metadata: { annotations: { a: 'x'.repeat(262_143) } } };
  const marks = { ...noMarks, annotations: { a: 'y'.repeat(1_000) } };
  expect(workloadPatch(workloadKind('Deployment'), object, marks)).toHaveLength(1);
});
