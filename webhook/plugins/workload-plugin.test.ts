import { beforeEach, describe, expect, it, test } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { parseAdmissionReview, type AdmissionRequest } from '../admission/admission-review';
import { bytes, review } from '../admission/review.fixture';
import { workloadPlugin } from './workload-plugin';

const auto = { 'reloader.stakater.com/auto': 'true' };
const baseline = JSON.stringify({ v: 1, n: 3, key: 'k', sources: {} });
const marker = { name: 'STAKATER_APP_CONFIGMAP', value: 'AAAAAAAAAAAAAAAAAAAAAA.0123abcd' };
const policy = { autoReloadAll: false, ignoredWorkloadKinds: [] };
/** The recorded queries, and the next answer. */
let questions: readonly object[];
let answer: unknown;
const reconcilers = {
  query: async (_path: string, question: object) => {
    questions = [...questions, question];
    return await Promise.resolve(answer);
  },
};
const plugin = workloadPlugin({ keys: defaultAnnotationKeys, policy, reconcilers });

beforeEach(() => {
  questions = [];
  answer = undefined;
});

function web(annotations: object | undefined, env: readonly object[] | undefined, image = 'web:1') {
  const template = { spec: { containers: [{ name: 'web', image, ...(env && { env }) }] } };
  return { metadata: { name: 'web', ...(annotations && { annotations }) }, spec: { template } };
}

/** As the API server sends it after a write by `manager`. */
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
  ['restores what a replace lacks', {}, whole],
  ['restores it in a dry run, which shows what would be stored', { dryRun: true }, whole],
  ['restores what a merge patch of a tool drops', { options: { fieldManager: 'kubectl-client-side-apply' } }, whole],
  ['lets a person remove it', { options: { fieldManager: 'kubectl-edit' } }, whole.slice(0, 1)],
  [
    'lets `kubectl rollout undo` remove the marker, although it sends no field manager',
    { options: {}, object: writtenBy('kubectl', web(auto, [])) },
    whole.slice(0, 1),
  ],
  ['restores it for a writer without a field manager', { options: {} }, whole],
  [
    'restores it for a controller without a field manager, after an older kubectl write',
    {
      ...{ options: {}, object: writtenBy('kubectl', web(auto, [])) },
      userInfo: { username: 'system:serviceaccount:shop:operator' },
    },
    whole,
  ],
  [
    'lets a person remove the baseline by name',
    {
      options: { fieldManager: 'kubectl-annotate' },
      oldObject: web({ ...auto, 'reroll.dev/baseline': baseline }, [marker]),
      object: web(auto, [marker]),
    },
    [],
  ],
  ['does not restore the marker if the template changes', { object: web(auto, [], 'web:2') }, whole.slice(0, 1)],
  ['adds nothing to a write that opts out', { object: web({}, []) }, []],
  ['adds nothing to a write that removes all annotations', { object: web(undefined, []) }, []],
])('%s', async (_what, changed, patch) => {
  const { patch: given = [] } = await plugin.answer(requestOf(changed));
  expect(given).toEqual(patch);
});

describe("the leader's mutations", () => {
  const annotations = { 'reroll.dev/baseline': 'new' };
  const given = {
    v: 1,
    annotations,
    template: { annotations: {}, env: [{ container: 'web', ...marker, value: 'v' }] },
  };
  const asked = async (changed: Readonly<Record<string, unknown>>) => {
    answer = given;
    const { patch } = await plugin.answer(requestOf(changed));
    return { patch, asked: questions.length };
  };

  it('are added when a workload is created', async () => {
    const created = { operation: 'CREATE', oldObject: null, object: web({ ...auto, 'reroll.dev/baseline': 'x' }, []) };
    const { patch } = await asked(created);
    expect(patch).toContainEqual({ op: 'add', path: '/metadata/annotations/reroll.dev~1baseline', value: 'new' });
    expect(JSON.stringify(questions)).not.toContain('baseline');
  });

  it('are added when the template changes, and replace the previous marker', async () => {
    const { patch } = await asked({ object: web(auto, [marker], 'web:2') });
    expect(patch).toEqual([
      { op: 'add', path: '/metadata/annotations/reroll.dev~1baseline', value: 'new' },
      { op: 'replace', path: '/spec/template/spec/containers/0/env/0', value: { ...marker, value: 'v' } },
    ]);
    expect(questions).toMatchObject([{ object: { metadata: { annotations: { 'reroll.dev/baseline': baseline } } } }]);
  });

  it('are queried when a workload opts in', async () => {
    expect(await asked({ oldObject: web({}, []) })).toMatchObject({ asked: 1 });
  });

  it('are queried for the object that a replace without its uid writes', async () => {
    const stored = web({ ...auto, 'reroll.dev/baseline': baseline }, [marker]);
    const oldObject = { ...stored, metadata: { ...stored.metadata, uid: 'uid-web' } };
    await asked({ oldObject, object: web(auto, [marker], 'web:2') });
    await asked({ operation: 'CREATE', oldObject: null });
    expect(questions).toMatchObject([{ object: { metadata: { uid: 'uid-web' } } }, {}]);
    expect(JSON.stringify(questions[1])).not.toContain('uid');
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['its own are restored', {}],
    ['only its replicas change', { oldObject: web(auto, []) }],
    ['it opts out', { object: web({}, [], 'web:2') }],
    ['it opts in again with its baseline', { oldObject: web({ 'reroll.dev/baseline': baseline }, []) }],
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
    expect(plugin.wants(requestOf(changed), path)).toBe(wanted);
  });
});
