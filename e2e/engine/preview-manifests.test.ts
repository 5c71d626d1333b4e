import { describe, expect, it } from '@jest/globals';
import { configMap, cronJob, deployment, fromConfigMap, namespace } from '../apiserver/cluster';
import type { ObjectInput } from '../apiserver/objects';
import { api, db, firstLine, preview, shop, silent, situated, yaml, type Texts } from './preview.fixture';
import { app, auto, web } from './situations.fixture';

describe('manifests', () => {
  const blue = { ...app, data: { color: 'blue', size: 'small' } };
  const image = (name: string, tag: string, more: object = {}) =>
    deployment({ name, annotations: auto, image: `app:${tag}`, envFrom: [fromConfigMap('app')], ...more });
  const applied = (object: ObjectInput, last: object): ObjectInput => ({
    ...object,
    metadata: {
      ...object.metadata,
      annotations: {
        ...object.metadata.annotations,
        'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(last),
      },
    },
  });
  const report = cronJob({ name: 'report', annotations: auto, envFrom: [fromConfigMap('app')] });
  const foreign = configMap({ name: 'app', data: { color: 'red', size: 'small', foreign: 'x' } });
  const kustomization = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' };
  const sealed = { apiVersion: 'bitnami.com/v1alpha1', kind: 'SealedSecret', metadata: { name: 'db' } };

  it.each<[string, readonly ObjectInput[], readonly object[], string, string]>([
    [
      'that change nothing',
      ...([shop, [app, db, web]] as const),
      'would restart nothing: ConfigMap default/app and Secret default/db are the same already',
      '',
    ],
    [
      'with a Secret in plain text',
      ...([shop, [{ ...db, data: {}, stringData: { password: 'hunter2', url: 'db:5432' } }]] as const),
      'would restart nothing: Secret default/db is the same already',
      '',
    ],
    [
      'that change a workload, too',
      ...([shop, [blue, image('web', '2')]] as const),
      'would restart 1 of 3 workloads that ask for restarts and use ConfigMap default/app: deployment/api; 1 rolls out anyway: deployment/web',
      '',
    ],
    [
      'that leave a workload as it is',
      ...([shop, [blue, web, api]] as const),
      'would restart 2 of 3 workloads that ask for restarts and use ConfigMap default/app: deployment/api and deployment/web',
      '',
    ],
    [
      'that have a workload twice, of which the later one is applied last',
      ...([shop, [blue, { ...silent, metadata: { ...silent.metadata, annotations: auto } }, silent]] as const),
      'would restart 2 of 3 workloads that ask for restarts and use ConfigMap default/app: deployment/api and deployment/web',
      '',
    ],
    [
      'that change a workload which is paused, and rolls nothing out',
      ...([
        [app, image('web', '1', { spec: { paused: true } })],
        [blue, image('web', '2')],
      ] as const),
      'would restart 1 of 1 workload that asks for restarts and uses ConfigMap default/app: deployment/web',
      '',
    ],
    [
      'that opt a workload out',
      ...([
        [app, web, api],
        [blue, { ...web, metadata: { name: 'web' } }],
      ] as const),
      'would restart 1 of 1 workload that asks for restarts and uses ConfigMap default/app: deployment/api',
      '',
    ],
    [
      'that leave a CronJob alone',
      [app, report],
      [
        blue,
        { ...report, metadata: { name: 'report', annotations: { ...auto, 'reroll.dev/cronjob-policy': 'never' } } },
      ],
      'would restart 0 of 1 workload that asks for restarts and uses ConfigMap default/app',
      '',
    ],
    [
      'that opt a workload in',
      ...([
        [app, api, silent],
        [blue, { ...silent, metadata: { name: 'silent', annotations: auto } }],
      ] as const),
      'would restart 2 of 2 workloads that ask for restarts and use ConfigMap default/app: deployment/api and deployment/silent',
      '',
    ],
    [
      'with a new workload, whose pods start with the change',
      ...([
        [app, api],
        [blue, web],
      ] as const),
      'would restart 1 of 1 workload that asks for restarts and uses ConfigMap default/app: deployment/api',
      '',
    ],
    [
      'that ignore the source from now on',
      ...([
        [app, api],
        [configMap({ name: 'app', data: { color: 'x' }, annotations: { 'reloader.stakater.com/ignore': 'true' } })],
      ] as const),
      'would restart 0 of 1 workload that asks for restarts and uses ConfigMap default/app',
      '',
    ],
    [
      'that ignore the source no longer',
      ...([
        [
          configMap({ name: 'app', data: { color: 'x' }, annotations: { 'reloader.stakater.com/ignore': 'true' } }),
          api,
        ],
        [app],
      ] as const),
      'would restart 1 of 1 workload that asks for restarts and uses ConfigMap default/app: deployment/api',
      '',
    ],
    [
      'without a key that kubectl did not apply',
      ...([[applied(foreign, app), web], [app]] as const),
      'would restart nothing: ConfigMap default/app is the same already',
      '',
    ],
    [
      'without a key that kubectl applied',
      ...([[applied(foreign, foreign), web], [app]] as const),
      'would restart 1 of 1 workload that asks for restarts and uses ConfigMap default/app: deployment/web',
      '',
    ],
    [
      'without a key that something else wrote',
      ...([[foreign, web], [app]] as const),
      'would restart 1 of 1 workload that asks for restarts and uses ConfigMap default/app: deployment/web',
      '',
    ],
    [
      'with objects that are not resolved here',
      ...([shop, [sealed, kustomization]] as const),
      'would restart nothing: there is no ConfigMap or Secret that can be compared among the manifests',
      "SealedSecret default/db is turned into a Secret in the cluster: what that changes is not known here\nKustomization default/(not named yet) is not built here: pipe the output of 'kubectl kustomize' into --filename=-\n",
    ],
    ['without sources', shop, [web], 'would restart nothing: there is no ConfigMap or Secret among the manifests', ''],
  ])('%s', async (_what, objects, manifests, expected, err) => {
    for (const answering of ['leader', 'objects'] as const) {
      const run = await preview(await situated(objects), ['-f', '-'], {
        answering,
        files: { '-': yaml(...manifests) },
      });
      expect([firstLine(run), run.code]).toEqual([expected, 0]);
      if (answering === 'leader') expect(run.err).toBe(err);
    }
  });

  it('are those of several namespaces', async () => {
    const within = { ...app, metadata: { ...app.metadata, namespace: 'shop' } };
    const other = deployment({ name: 'web', namespace: 'shop', annotations: auto, envFrom: [fromConfigMap('app')] });
    const running = await situated([namespace('shop'), ...shop, within, other]);
    const files = { '-': yaml(blue, { ...blue, metadata: { name: 'app', namespace: 'shop' } }) };
    const { out } = await preview(running, ['-f', '-'], { files });
    expect(out).toMatch(/^NAMESPACE +WORKLOAD +EFFECT/m);
    expect(out).toMatch(/^shop +deployment\/web +restarts/m);
    expect(
      (
        await preview(running, ['-f', '-', '-n', 'shop'], {
          files: { '-': yaml({ ...blue, metadata: { name: 'app' } }) },
        })
      ).out,
    ).toMatch(/^would restart 1 of 1 workload that asks for restarts and uses ConfigMap shop\/app: deployment\/web\n/);
  });

  it.each<[string, Texts, string]>([
    ['that are missing', {}, 'gone.yaml: cannot be read: there is no such file or directory\n'],
    [
      'that are broken',
      { 'gone.yaml': 'a: [' },
      'gone.yaml:1: the indentation is wrong, or a bracket or brace is not closed\n',
    ],
    [
      'that the API server refuses',
      { 'gone.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata:\n  port: 8080\n' },
      'gone.yaml:5: the API server refuses data.port: it is no text; put the value into quotes\n',
    ],
    [
      'with a key that could drive a terminal',
      { 'gone.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata:\n  "\\e[31m": 1\n' },
      'gone.yaml:5: the API server refuses data.\\u001b[31m: it is no text; put the value into quotes\n',
    ],
    [
      'with what is text in YAML 1.2 alone',
      { 'gone.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata:\n  a: "yes"\n  b: yes\n' },
      'gone.yaml:6: the API server refuses data.b: kubectl takes it for a boolean or a number; put the value into quotes\n',
    ],
    [
      'without a name',
      { 'gone.yaml': '---\napiVersion: v1\nkind: ConfigMap\ndata: {a: x}\n' },
      'gone.yaml:2: it has no metadata.name\n',
    ],
    [
      'with plain text instead of base64',
      { 'gone.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: db}\ndata:\n  password: hunter-2\n' },
      'gone.yaml:5: the API server refuses data.password: it is not in base64\n',
    ],
  ])('%s end the command with 2, and without an answer', async (_what, files, err) => {
    const run = await preview(await situated(), ['-f', 'gone.yaml'], { files });
    expect(run).toEqual({ code: 2, out: '', err: `${err}\nRun 'reroll preview --help' for all flags.\n` });
  });
});
