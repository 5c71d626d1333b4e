import { describe, expect, it } from '@jest/globals';
import { previewReportSchema } from '../../cli/preview/preview-report';
import { parseSelector } from '../../shared/domain/kubernetes/selector';
import { rollout, rolloutKind } from '../apiserver/add-ons';
import { configMap, deployment, envFromKey, fromConfigMap, secret } from '../apiserver/cluster';
import type { Answering } from './asking.fixture';
import { Harness } from './harness';
import { api, db, firstLine, preview, shop, situated, yaml } from './preview.fixture';
import { rule, viewRules } from './rights.fixture';
import { app, auto, web, type Situation } from './situations.fixture';
import { webhookMode } from './why-situations.fixture';

describe('reroll preview', () => {
  const golden = `would restart 1 of 3 workloads that ask for restarts and use ConfigMap default/app: deployment/web

SOURCE                  CHANGE    KEYS
ConfigMap default/app   changed   size

WORKLOAD          EFFECT     FOR                    BY                                                BECAUSE
deployment/api    stays      ConfigMap app          reloader.stakater.com/auto                        what it uses does not change
deployment/calm   stays      ConfigMap app          configmaps.exclude.reloader.stakater.com/reload   the workload's exclude list names the source
deployment/web    restarts   ConfigMap app (size)   reloader.stakater.com/auto                        what it uses changes
`;

  it.each<Answering>(['leader', 'objects'])('shows what an edit would restart: %s', async (answering) => {
    const run = await preview(await situated(), ['configmap/app', '--set', 'size=large'], { answering });
    expect(run.out).toBe(golden);
    expect(run.code).toBe(0);
    if (answering === 'leader') expect(run.err).toBe('');
    else expect(run.err).toMatch(/^you may not get pods\/portforward; the answer is from what you may read yourself/);
  });

  it.each<Answering>(['leader', 'objects'])('shows what manifests would restart: %s', async (answering) => {
    const manifests = yaml(
      { ...app, data: { color: 'blue', size: 'small' } },
      secret({ name: 'db', data: { password: 'hunter2' } }),
    );
    const run = await preview(await situated(), ['-f', 'deploy'], {
      answering,
      files: { 'deploy/all.yaml': manifests },
    });
    expect(run.out)
      .toBe(`would restart 3 of 4 workloads that ask for restarts and use ConfigMap default/app and Secret default/db: deployment/api, deployment/web and statefulset/store

SOURCE                  CHANGE    KEYS
ConfigMap default/app   changed   color
Secret default/db       changed   url

WORKLOAD            EFFECT     FOR                     BY                                                BECAUSE
deployment/api      restarts   ConfigMap app (color)   reloader.stakater.com/auto                        what it uses changes
deployment/calm     stays      ConfigMap app           configmaps.exclude.reloader.stakater.com/reload   the workload's exclude list names the source
deployment/web      restarts   ConfigMap app (color)   reloader.stakater.com/auto                        what it uses changes
statefulset/store   restarts   Secret db (url)         reloader.stakater.com/auto                        what it uses changes
`);
  });

  it('restarts what it says, and nothing else', async () => {
    const [harness, engine] = await situated();
    const { out } = await preview([harness, engine], ['configmap/app', '--set=color=blue', '-o', 'name']);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    const restarted: string[] = [];
    for (const name of ['api', 'calm', 'silent', 'web']) {
      const { metadata } = await harness.get('Deployment', name);
      if (metadata.annotations?.['reroll.dev/last-restart'] !== undefined) restarted.push(`deployment.apps/${name}\n`);
    }
    expect(out).toBe(restarted.join(''));
    expect(restarted).toHaveLength(2);
  });
});

it('says who restarts first if the change restarts all that the leader speaks of', async () => {
  const [harness, engine] = await situated();
  for (const [name, wave] of [
    ['api', '1'],
    ['web', '2'],
  ] as const) {
    await harness.patch('Deployment', name, { metadata: { annotations: { 'reroll.dev/wave': wave } } });
  }
  await harness.clock.advance(5_000);
  const both = await preview([harness, engine], ['configmap/app', '--set=color=blue']);
  expect(both.out).toMatch(/^deployment\/api +restarts .* at once$/m);
  expect(both.out).toMatch(
    /^deployment\/web +restarts .*reroll.dev\/wave 1 comes first: Deployment api has still to restart\)$/m,
  );
  // Not in this one: `api` does not use the key.
  const alone = await preview([harness, engine], ['configmap/app', '--set=size=large']);
  expect(alone.out).toMatch(/^deployment\/web +restarts/m);
  expect(alone.out).not.toContain('comes first');
});

describe('an edit', () => {
  it.each<[string, readonly string[], string]>([
    [
      'with a value that it has already',
      ['cm/app', '--set=color=red'],
      'would restart nothing: ConfigMap default/app is the same already',
    ],
    [
      'of a value with a comma',
      ['cm/app', '--set="color=a,b"'],
      'would restart 2 of 3 workloads that ask for restarts and use ConfigMap default/app: deployment/api and deployment/web',
    ],
    [
      'by a file',
      ['cm/app', '--set-file=color=new'],
      'would restart 2 of 3 workloads that ask for restarts and use ConfigMap default/app: deployment/api and deployment/web',
    ],
    [
      'by a file with the value that it has',
      ['cm/app', '--set-file=color=same'],
      'would restart nothing: ConfigMap default/app is the same already',
    ],
    [
      'that removes a key',
      ['cm/app', '--unset=color'],
      'would restart 2 of 3 workloads that ask for restarts and use ConfigMap default/app: deployment/api and deployment/web',
    ],
    [
      'that removes a key that is not there',
      ['cm/app', '--unset=none'],
      'would restart nothing: ConfigMap default/app is the same already',
    ],
    [
      'that deletes it',
      ['cm/app', '--delete'],
      'would restart 0 of 3 workloads that ask for restarts and use ConfigMap default/app',
    ],
    [
      'of a Secret',
      ['secret/db', '--set=password=x'],
      'would restart 1 of 1 workload that asks for restarts and uses Secret default/db: statefulset/store',
    ],
    [
      'of a source of which nobody knows',
      ['cm/lone', '--set=a=b'],
      'would restart nothing: no workload that asks for restarts uses ConfigMap default/lone',
    ],
  ])('%s', async (_what, args, expected) => {
    const files = { new: 'green', same: 'red' };
    for (const answering of ['leader', 'objects'] as const) {
      const run = await preview(await situated(), args, { answering, files });
      expect([firstLine(run), run.code]).toEqual([expected, 0]);
    }
  });

  it.each<[string, readonly string[], Situation['settings'], string]>([
    [
      'created',
      ['cm/late', '--set=a=b'],
      {},
      'would restart 0 of 1 workload that asks for restarts and uses ConfigMap default/late',
    ],
    [
      'created',
      ['cm/late', '--set=a=b'],
      { reloadOnCreate: true },
      'would restart 1 of 1 workload that asks for restarts and uses ConfigMap default/late: deployment/early',
    ],
    [
      'deleted',
      ['cm/app', '--delete'],
      { reloadOnDelete: true },
      'would restart 2 of 3 workloads that ask for restarts and use ConfigMap default/app: deployment/api and deployment/web',
    ],
    [
      'changed',
      ['cm/app', '--unset=size'],
      { dryRun: true },
      'would restart nothing: Reroll runs with --dry-run, and writes nothing',
    ],
    [
      'changed',
      ['cm/app', '--unset=size'],
      { ignoredSourceKind: 'ConfigMap' },
      'would restart nothing: a flag of Reroll leaves out its kind or its namespace',
    ],
    [
      'changed',
      ['cm/app', '--unset=size'],
      { namespaceSelector: parseSelector('env=prod') },
      'would restart nothing: the labels of its namespace do not match --namespace-selector',
    ],
    [
      'changed',
      ['cm/app', '--unset=size'],
      { sourceSelector: parseSelector('reload=yes') },
      'would restart nothing: its labels do not match --resource-label-selector=reload=yes',
    ],
  ])('of a source that is %s: %j with %j', async (_what, args, settings, expected) => {
    const early = deployment({ name: 'early', annotations: auto, envFrom: [fromConfigMap('late')] });
    for (const answering of ['leader', 'objects'] as const) {
      const run = await preview(await situated([...shop, early], settings), args, { answering });
      expect(firstLine(run)).toBe(expected);
    }
  });
});

it('restarts nothing where Reroll calls a URL instead, also if its flags may not be read', async () => {
  const harness = new Harness();
  harness.seed(app, web);
  const engine = await harness.start({}, undefined, webhookMode());
  expect(firstLine(await preview([harness, engine], ['cm/app', '--unset=color']))).toBe(
    'would restart nothing: for each change Reroll calls --webhook-url instead',
  );
});

describe('where rights are missing', () => {
  const reads = (...resources: readonly string[]) => [
    rule('apps', 'deployments statefulsets daemonsets', 'get list'),
    rule('batch', 'jobs cronjobs', 'get list'),
    ...resources.map((resource) => rule('', resource, 'get list')),
  ];

  it.each<[string, readonly string[], string]>([
    ['a manifest', ['-f', '-'], 'every key'],
    ['an edit', ['secret/db', '--set=password=x'], 'password'],
  ])('every key that %s touches counts as changed', async (_what, args) => {
    const login = deployment({ name: 'login', annotations: auto, env: [envFromKey('Secret', 'db', 'url')] });
    const running = await situated([...shop, login]);
    running[0].server.rbac.restrict('admin', reads('configmaps'));
    const files = { '-': yaml(db) };
    for (const answering of ['leader', 'objects'] as const) {
      const run = await preview(running, args, { answering, files });
      const isAll = args[0] === '-f';
      expect(firstLine(run)).toBe(
        isAll
          ? 'would restart up to 2 of 2 workloads that ask for restarts and use Secret default/db: deployment/login and statefulset/store'
          : 'would restart up to 1 of 2 workloads that ask for restarts and use Secret default/db: statefulset/store',
      );
      expect(run.out).toContain(`Secret default/db   assumed   ${isAll ? 'all' : 'password'}\n`);
      expect(run.out).toContain('what it uses counts as changed: you may not get secrets in namespace default');
      expect(run.err).toContain(
        'you may not get secrets in namespace default: what is touched of Secret default/db counts as changed\n',
      );
      expect(run.code).toBe(0);
    }
  });

  it('workloads that may not be listed are named as missing, and without any there is no answer', async () => {
    const running = await situated();
    running[0].server.rbac.restrict('admin', [rule('apps', 'deployments', 'list'), rule('', 'configmaps', 'get')]);
    const some = await preview(running, ['cm/app', '--unset=size'], { answering: 'objects' });
    expect(some.code).toBe(0);
    expect(some.err).toContain('you may not list jobs.batch in namespace default: those are missing here\n');
    running[0].server.rbac.restrict('admin', [rule('', 'configmaps', 'get')]);
    const none = await preview(running, ['cm/app', '--unset=size'], { answering: 'objects' });
    expect(none).toMatchObject({ code: 3, out: '' });
    expect(none.err).toMatch(
      /^you may not get pods\/portforward; and you may not list .*, so there is nothing to answer from\n$/,
    );
    const ignored = configMap({
      name: 'app',
      data: { color: 'x' },
      annotations: { 'reloader.stakater.com/ignore': 'true' },
    });
    const leader = await preview(running, ['-f', '-'], { files: { '-': yaml(ignored) } });
    expect(leader.err).toMatch(
      /^the change alters annotations of ConfigMap default\/app that decide; and you may not list/,
    );
    expect(leader.code).toBe(3);
  });

  it('without any workload nothing restarts, for somebody who may list only what is built in', async () => {
    const running = await situated([app]);
    running[0].server.rbac.restrict('admin', viewRules('default'));
    const run = await preview(running, ['cm/app', '--unset=size'], { answering: 'objects' });
    expect(firstLine(run)).toMatch(/^would restart nothing/);
    expect([run.code, run.err]).toEqual([0, expect.not.stringContaining('those are missing here')]);
  });

  it('a workload of the manifests may roll out by itself, which is then not known', async () => {
    const running = await situated();
    running[0].server.rbac.restrict('admin', [rule('', 'configmaps', 'get')]);
    const files = { '-': yaml({ ...app, data: { color: 'blue' } }, web) };
    const run = await preview(running, ['-f', '-'], { files });
    expect(run.out).toMatch(/^deployment\/web +restarts/m);
    expect(run.err).toContain('you may not get deployments.apps in namespace default: those are missing here\n');
  });

  it('a workload of the manifests is new if nobody serves its kind', async () => {
    const running = await situated();
    running[0].server.rbac.restrict('admin', [rule('', 'configmaps', 'get'), rule('apps', 'deployments', 'list')]);
    const files = { '-': yaml({ ...app, data: { color: 'blue' } }, rollout({ name: 'shown' })) };
    expect((await preview(running, ['-f', '-'], { files })).err).toBe('');
    running[0].server.serve(rolloutKind);
    expect((await preview(running, ['-f', '-'], { files })).err).toBe(
      'you may not get rollouts.argoproj.io in namespace default: those are missing here\n',
    );
  });

  it('--reload-on-delete is assumed to be off, where the flags of Reroll are not known', async () => {
    const running = await situated(shop, { reloadOnDelete: true });
    running[0].server.rbac.restrict('admin', [rule('', 'configmaps', 'get')]);
    const run = await preview(running, ['cm/app', '--delete']);
    expect(run.err).toBe("the flags of Reroll's Deployment are not known: --reload-on-delete is assumed to be off\n");
    expect(run.out).toContain('the source is deleted, and --reload-on-delete is off');
  });
});

describe('a change that cannot be made', () => {
  it.each<[string, readonly string[], string]>([
    [
      'of what is immutable',
      ['cm/fixed', '--set=a=c'],
      'would be refused: ConfigMap default/fixed is immutable; delete it and create it again',
    ],
    [
      'to a key that is none',
      ['cm/app', '--set=bad key=a'],
      'would be refused: ConfigMap default/app cannot have the key "bad key": keys have letters, digits, "-", "_" and ".", at most 253, and do not begin with ".."',
    ],
    ['of what does not exist', ['cm/none', '--unset=a'], 'there is no ConfigMap default/none'],
    ['a deletion of what does not exist', ['cm/none', '--delete'], 'there is no ConfigMap default/none'],
  ])('%s ends with 1', async (_what, args, expected) => {
    const running = await situated([...shop, configMap({ name: 'fixed', data: { a: 'b' }, immutable: true })]);
    const run = await preview(running, args);
    expect([firstLine(run), run.code]).toEqual([expected, 1]);
  });
});

describe('wrong arguments', () => {
  it.each<[string, readonly string[], string]>([
    ['nothing', [], 'name what would change: manifests with --filename, or a source such as configmap/app'],
    ['a source without a change', ['cm/app'], 'say what would change: --set, --set-file, --unset or --delete'],
    ['a source and files', ['cm/app', '-f', 'x'], 'name either a source or files with --filename, not both'],
    [
      'keys and files',
      ['--set=a=b', '-f', 'x'],
      '--set, --set-file, --unset and --delete need a source such as configmap/app, and no --filename',
    ],
    [
      'a deletion of keys',
      ['cm/app', '--delete', '--unset=a'],
      '--delete removes all keys, so it needs no --set, --set-file or --unset',
    ],
    [
      'a key that is both set and removed',
      ['cm/app', '--set=a=b', '--set-file=c=x', '--unset=a,c,d'],
      '--unset removes the key "a", which --set or --set-file sets: leave out one of the two\n--unset removes the key "c", which',
    ],
    ['a workload', ['deploy/web', '--set=a=b'], 'there is no kind of source "deploy"'],
    [
      'a class of rotated secrets',
      ['secretproviderclass/vault', '--set=a=b'],
      'an edit of a SecretProviderClass restarts nothing',
    ],
    [
      'a missing file',
      ['cm/app', '--set-file=a=gone'],
      '--set-file: gone cannot be read: there is no such file or directory',
    ],
    [
      'a value without a key',
      ['cm/app', '--set=hunter2'],
      '--set (not shown, it may be a credential): no key before a "="',
    ],
    [
      'a value with a comma, whose double quotes the shell took away',
      ['cm/app', '--set=color=a,hunter2'],
      'a comma begins another key, unless double quotes are around all of it: put these into single ones, or the shell removes them',
    ],
  ])('%s', async (_what, args, problem) => {
    const run = await preview(await situated(), args);
    expect([run.code, run.out]).toEqual([2, '']);
    expect(run.err).toContain(problem);
    expect(run.err).not.toContain('hunter2');
  });
});

describe('output', () => {
  it('names the workloads that would restart', async () => {
    const run = await preview(await situated(), ['cm/app', '--unset=color', '-o', 'name']);
    expect(run.out).toBe('deployment.apps/api\ndeployment.apps/web\n');
  });

  it('is wide, with the keys that each uses', async () => {
    const { out } = await preview(await situated(), ['cm/app', '--unset=color', '-o', 'wide']);
    expect(out).toMatch(/^deployment\/api +restarts +ConfigMap app \(color\) +color +reloader/m);
  });

  it.each<Answering>(['leader', 'objects'])('is JSON: %s', async (answering) => {
    const args = ['cm/app', '--set=size=large', '-o', 'json'];
    const json: unknown = JSON.parse((await preview(await situated([app, web, api]), args, { answering })).out);
    const used = { kind: 'ConfigMap', name: 'app', decision: 'auto', rule: 'reloader.stakater.com/auto' };
    expect(previewReportSchema.parse(json)).toEqual({
      v: 1,
      sources: [{ kind: 'ConfigMap', namespace: 'default', name: 'app', change: 'changed', keys: ['size'] }],
      workloads: [
        {
          ...{ kind: 'Deployment', namespace: 'default', name: 'api', outcome: 'stays' },
          sources: [
            { ...used, keys: ['color'], why: 'what it uses does not change', changedKeys: [], restarts: false },
          ],
        },
        {
          ...{ kind: 'Deployment', namespace: 'default', name: 'web', outcome: 'restarts' },
          sources: [{ ...used, keys: 'all', why: 'what it uses changes', changedKeys: ['size'], restarts: true }],
        },
      ],
      notResolved: [],
      answer: 'would restart 1 of 2 workloads that ask for restarts and use ConfigMap default/app: deployment/web',
      answeredBy: answering,
    });
  });

  it('has no value, neither old nor new, and the cluster is not written', async () => {
    const running = await situated();
    const before = running[0].server.history().length;
    const texts: string[] = [];
    for (const answering of ['leader', 'objects'] as const) {
      for (const format of ['text', 'wide', 'json', 'yaml', 'name']) {
        const files = { '-': yaml({ ...db, stringData: { password: 'n3w-value' } }) };
        for (const args of [
          ['-f', '-'],
          ['secret/db', '--set=password=n3w-value'],
        ]) {
          const { out, err } = await preview(running, [...args, '-o', format], { answering, files });
          texts.push(out, err);
        }
      }
    }
    const values = ['hunter2', 'db:5432', 'n3w-value'].flatMap((value) => [
      value,
      Buffer.from(value).toString('base64'),
    ]);
    expect(values.filter((value) => texts.some((text) => text.includes(value)))).toEqual([]);
    expect(running[0].server.history().length).toBe(before);
  });
});
