import { beforeEach, describe, expect, it, test } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { parseAdmissionReview, type AdmissionRequest } from '../admission/admission-review';
import { bytes, review } from '../admission/review.fixture';
import { workloadPlugin } from './workload-plugin';

const auto = { 'reloader.stakater.com/auto': 'true' };
const baseline = JSON.stringify({ v: 1, n: 3, key: 'k', sources: {} });
const marker = { name: 'STAKATER_APP_CONFIGMAP', value: 'AAAAAAAAAAAAAAAAAAAAAA.0123abcd' };
const policy = { autoReloadAll: false, ignoredWorkloadKinds: [] };
/** What was asked, and what is answered. */
let questions: readonly object[];
let answer: unknown;
const reconcilers = {
  query: async (_path: string, question: object) => {
    questions = [...questions, question];
    return await Promise.resolve(answer);
  },
};
const duty = workloadPlugin({ keys: defaultAnnotationKeys, policy, reconcilers });

beforeEach(() => {
  questions = [];
  answer = undefined;
});

function web(annotations: object | undefined, env: readonly object[] | undefined, image = 'web:1') {
  const template = { spec: { containers: [{ name: 'web', image, ...(env && { env }) }] } };
  return { metadata: { name: 'web', ...(annotations && { annotations }) }, spec: { template } };
}

/** As the server tells it. */
function writtenBy(manager: string, object: ReturnType<typeof web>) {
  const managedFields = [
    { manager: 'reroll', time: '2026-01-01T00:00:00Z' },
    { manager, time: '2026-01-02T00:00:00Z' },
  ];
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

function requestOf(changed: Readonly<Record<string, unknown>>): AdmissionRequest {
  const kind = { group: 'apps', version: 'v1', kind: 'Deployment' };
  const oldObject = web({ ...auto, 'reroll.dev/baseline': baseline }, [marker]);
  const options = { kind: 'UpdateOptions', fieldManager: 'kubectl-replace' };
  const body = review({ kind, name: 'web', oldObject, object: web(auto, []), options, ...changed });
  return parseAdmissionReview(bytes(body))!.request!;
}

const whole = [
  { op: 'add', path: '/metadata/annotations/reroll.dev~1baseline', value: baseline },
  { op: 'add', path: '/spec/template/spec/containers/0/env', value: [marker] },
];

test.each<[string, Readonly<Record<string, unknown>>, object]>([
  ['gives back to a replacement what it lacks', {}, whole],
  ['gives it back in a dry run, which shows what would be stored', { dryRun: true }, whole],
  [
    'gives back to a merge patch of a tool what it drops',
    { options: { fieldManager: 'kubectl-client-side-apply' } },
    whole,
  ],
  ['lets a person take it away', { options: { fieldManager: 'kubectl-edit' } }, whole.slice(0, 1)],
  [
    'lets `kubectl rollout undo` take the marker away, which does not tell the server its name',
    { options: {}, object: writtenBy('kubectl', web(auto, [])) },
    whole.slice(0, 1),
  ],
  ['gives it back to who tells no name', { options: {} }, whole],
  [
    'gives it back to a controller that tells no name, beside a kubectl of yesterday',
    {
      ...{ options: {}, object: writtenBy('kubectl', web(auto, [])) },
      userInfo: { username: 'system:serviceaccount:shop:operator' },
    },
    whole,
  ],
  [
    'lets a person take away the baseline by name',
    {
      options: { fieldManager: 'kubectl-annotate' },
      oldObject: web({ ...auto, 'reroll.dev/baseline': baseline }, [marker]),
      object: web(auto, [marker]),
    },
    [],
  ],
  ['lets a change of the template be', { object: web(auto, [], 'web:2') }, whole.slice(0, 1)],
  ['obeys who opts out', { object: web({}, []) }, []],
  ['obeys who takes all annotations away', { object: web(undefined, []) }, []],
])('%s', async (_what, changed, patch) => {
  const { patch: given = [] } = await duty.answer(requestOf(changed));
  expect(given).toEqual(patch);
});

describe('what belongs into a write', () => {
  const annotations = { 'reroll.dev/baseline': 'new' };
  const given = {
    v: 1,
    annotations,
    template: { annotations: {}, env: [{ container: 'web', ...marker, value: 'v' }] },
  };
  const asked = async (changed: Readonly<Record<string, unknown>>) => {
    answer = given;
    const { patch } = await duty.answer(requestOf(changed));
    return { patch, asked: questions.length };
  };

  it('is put in where a workload is created', async () => {
    const created = { operation: 'CREATE', oldObject: null, object: web({ ...auto, 'reroll.dev/baseline': 'x' }, []) };
    const { patch } = await asked(created);
    expect(patch).toContainEqual({ op: 'add', path: '/metadata/annotations/reroll.dev~1baseline', value: 'new' });
    expect(JSON.stringify(questions)).not.toContain('baseline');
  });

  it('is put in where the template changes, in the place of the former marker', async () => {
    const { patch } = await asked({ object: web(auto, [marker], 'web:2') });
    expect(patch).toEqual([
      { op: 'add', path: '/metadata/annotations/reroll.dev~1baseline', value: 'new' },
      { op: 'replace', path: '/spec/template/spec/containers/0/env/0', value: { ...marker, value: 'v' } },
    ]);
    expect(questions).toMatchObject([{ object: { metadata: { annotations: { 'reroll.dev/baseline': baseline } } } }]);
  });

  it('is asked for where a workload opts in', async () => {
    expect(await asked({ oldObject: web({}, []) })).toMatchObject({ asked: 1 });
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['what it had is put back', {}],
    ['only its replicas change', { oldObject: web(auto, []) }],
    ['it opts out', { object: web({}, [], 'web:2') }],
  ])('is not asked for where %s', async (_what, changed) => {
    expect(await asked(changed)).toMatchObject({ asked: 0 });
  });
});

describe('wants', () => {
  const deployment = { group: 'apps', version: 'v1', kind: 'Deployment' };

  it.each<[boolean, Readonly<Record<string, unknown>>, 'mutate' | 'validate']>([
    [true, {}, 'mutate'],
    [false, {}, 'validate'],
    [false, { subResource: 'scale' }, 'mutate'],
    [false, { operation: 'DELETE' }, 'mutate'],
    [false, { kind: { ...deployment, group: 'apps.example.com' } }, 'mutate'],
    [false, { kind: { ...deployment, kind: 'ReplicaSet' } }, 'mutate'],
  ])('is %s of %j on /%s', (wanted, changed, path) => {
    expect(duty.wants(requestOf(changed), path)).toBe(wanted);
  });
});
