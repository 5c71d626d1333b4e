import { describe, expect, it } from '@jest/globals';
import { memoryFiles } from '../../cli/manifests/manifests.fixture';
import { migrateReportSchema } from '../../cli/migrate/migrate-report';
import { runMigrate } from '../../cli/migrate/migrate.fixture';
import type { MigrateWorld } from '../../cli/migrate/migrate-world';
import { CredentialsError } from '../../shared/kube/access/credentials';
import { rollout, rolloutKind } from '../apiserver/add-ons';
import { configMap, cronJob, deployment, fromConfigMap, job, namespace, secret } from '../apiserver/cluster';
import type { ObjectInput } from '../apiserver/objects';
import { Harness } from './harness';
import { rule, viewRules } from './rights.fixture';
import { app, auto, uses, web } from './situations.fixture';

const waved = deployment({
  ...{ name: 'waved', namespace: 'shop', envFrom: [fromConfigMap('app')] },
  annotations: { 'wave.pusher.com/update-on-config-change': 'true' },
});
const report = cronJob({ ...uses, name: 'report' });
const reloader = (...args: readonly string[]): ObjectInput =>
  deployment({
    ...{ name: 'reloader-reloader', namespace: 'tools' },
    containers: [{ name: 'reloader', image: 'ghcr.io/stakater/reloader:v1.4.21', args: [...args] }],
  });

function cluster(...objects: readonly ObjectInput[]): Harness {
  const harness = new Harness();
  harness.seed(namespace('shop'), namespace('tools'), app, ...objects);
  return harness;
}

async function migrate({ admin }: Harness, ...args: readonly string[]) {
  const closed: string[] = [];
  const connect: MigrateWorld['connect'] = async () =>
    await Promise.resolve({ client: admin, close: async () => await Promise.resolve(void closed.push('closed')) });
  const run = await runMigrate(args, memoryFiles({}), undefined, connect);
  expect(closed).toEqual(run.code === 2 && run.out === '' && run.err.includes('--help') ? [] : ['closed']);
  return run;
}

const codes = (out: string): readonly string[] =>
  migrateReportSchema.parse(JSON.parse(out)).findings.map(({ code, object }) => `${code} ${object.name ?? ''}`);

describe('reroll migrate, of a cluster', () => {
  it('says the same as of manifests, without a file', async () => {
    const { code, out, err } = await migrate(cluster(web, waved), '-A');
    expect(out).toBe(`Deployment shop/waved (wave-opt-in)
  today: Wave restarts it when a ConfigMap or Secret that it uses changes.
  here:  Reroll does not read Wave's annotations.
  fix:   Make these edits in one write, while Wave still runs: it then leaves the workload to Reroll.
    write under metadata.annotations:
      reloader.stakater.com/auto: "true"
    remove from metadata.annotations:
      wave.pusher.com/update-on-config-change

1 finding, nothing to do for 1 of 2 workloads: 2 objects in the cluster
`);
    expect([code, err]).toEqual([1, '']);
  });

  it('ends with 0 if there is nothing to do', async () => {
    expect(await migrate(cluster(web), '-n', 'default')).toEqual({
      ...{ code: 0, err: '' },
      out: 'no findings, nothing to do for 1 of 1 workload: 1 object in the cluster\n',
    });
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['all namespaces', ['-A'], ['wave-opt-in waved', 'reloader-cronjob report']],
    ['one namespace', ['-n', 'shop'], ['wave-opt-in waved']],
  ])('reads %s, in JSON of its schema', async (_what, args, expected) => {
    const { out } = await migrate(cluster(waved, report), ...args, '-o', 'json');
    expect(codes(out)).toEqual(expected);
    expect(migrateReportSchema.parse(JSON.parse(out)).findings[0]).not.toHaveProperty('file');
  });

  it('reads page by page', async () => {
    const harness = cluster(
      ...Array.from({ length: 1_001 }, (_, index) => deployment({ ...uses, name: `web-${index}` })),
    );
    const limits: (string | undefined)[] = [];
    const asked = harness.admin.request.bind(harness.admin);
    harness.admin.request = async (request) => {
      limits.push(request.query?.['limit']);
      return await asked(request);
    };
    const { out } = await migrate(harness, '-A');
    expect(out).toBe('no findings, nothing to do for 1001 of 1001 workloads: 1001 objects in the cluster\n');
    expect(new Set(limits)).toEqual(new Set(['500']));
  });

  it('asks for metadata of sources alone', async () => {
    const harness = cluster(web, secret({ name: 'db', data: { password: 'hunter2' } }));
    const sources: (string | undefined)[] = [];
    const asked = harness.admin.request.bind(harness.admin);
    harness.admin.request = async (request) => {
      if (/\/(secrets|configmaps)$/.test(request.path)) sources.push(request.accept);
      return await asked(request);
    };
    await migrate(harness, '-A');
    expect(sources).toHaveLength(2);
    for (const accept of sources) expect(accept).toContain('PartialObjectMetadataList');
  });

  it('counts the annotations of sources', async () => {
    const ignored = configMap({ name: 'theme', annotations: { 'reloader.stakater.com/ignore': 'true' } });
    const themed = (name: string) =>
      deployment({
        name: 'themed',
        annotations: auto,
        podAnnotations: { 'checksum/config': 'x' },
        envFrom: [fromConfigMap(name)],
      });
    expect(codes((await migrate(cluster(ignored, themed('theme')), '-A', '-o', 'json')).out)).toEqual([]);
    expect(codes((await migrate(cluster(themed('app')), '-A', '-o', 'json')).out)).toEqual([
      'checksum-and-restarts themed',
    ]);
  });

  it('leaves out what only manifests show, and Jobs of CronJobs', async () => {
    const marked = deployment({
      ...{ name: 'marked', annotations: auto },
      containers: [
        {
          ...{ name: 'app', image: 'app:1', envFrom: [fromConfigMap('app')] },
          env: [{ name: 'STAKATER_APP_CONFIGMAP', value: 'da39a3ee5e6b4b0d3255bfef95601890afd80709' }],
        },
      ],
    });
    const run = job({ ...uses, name: 'report-1' });
    const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'report', uid: 'u', controller: true };
    const ofCronJob = { ...run, metadata: { ...run.metadata, ownerReferences: [owner] } };
    expect(codes((await migrate(cluster(marked, report, ofCronJob), '-A', '-o', 'json')).out)).toEqual([
      'reloader-cronjob report',
    ]);
  });
});

describe('the flags of Reloader', () => {
  const silent = job({ name: 'silent', envFrom: [fromConfigMap('app')] });

  it('are found in the cluster, and those of the command line count after them', async () => {
    const found = cluster(
      silent,
      reloader('--auto-reload-all', '--log-level=debug', '--resource-label-selector', 'a=b'),
    );
    const { out, err } = await migrate(found, '-n', 'default', '-o', 'json');
    expect(codes(out)).toEqual(['reloader-job silent']);
    expect(err).toBe('the flags of Deployment tools/reloader-reloader count: --auto-reload-all\n');
    expect(codes((await migrate(found, '-n', 'default', '-o', 'json', '--auto-reload-all=false')).out)).toEqual([]);
  });

  it.each<[string, readonly string[], string]>([
    ['--resources-to-ignore=secrets', ['reloader-job silent'], '--auto-reload-all'],
    ['--namespaces=shop', [], '--auto-reload-all --resources-to-ignore=configmaps'],
  ])('do not add to the list of %s', async (given, expected, counted) => {
    const args = ['--auto-reload-all', '--resources-to-ignore=configmaps', '--namespaces', 'default'];
    const flags = given.startsWith('--namespaces') ? args : args.slice(0, 2);
    const { out, err } = await migrate(cluster(silent, reloader(...flags)), '-n', 'default', '-o', 'json', given);
    expect(codes(out)).toEqual(expected);
    expect(err).toBe(`the flags of Deployment tools/reloader-reloader count: ${counted}\n`);
  });

  it.each<[readonly string[], readonly string[]]>([
    [['--is-Argo-Rollouts=true'], []],
    [['--is-Argo-Rollouts', 'true'], []],
    [[], ['reloader-rollout canary']],
  ])('%j say whether it restarts Rollouts already', async (args, expected) => {
    const harness = new Harness({ customKinds: [rolloutKind] });
    harness.seed(namespace('tools'), app, rollout({ ...uses, name: 'canary' }), reloader(...args));
    expect(codes((await migrate(harness, '-n', 'default', '-o', 'json')).out)).toEqual(expected);
  });

  it.each<[string, object, readonly string[], readonly string[]]>([
    ['its own', { valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } }, [], ['reloader-cronjob own']],
    ['one that is named', { value: 'default' }, [], ['reloader-cronjob report']],
    [
      'one that is named beside a flag that names none',
      { value: 'default' },
      ['--namespaces='],
      ['reloader-cronjob report'],
    ],
    ['others that a flag names', { value: 'tools' }, ['--namespaces', 'default'], ['reloader-cronjob report']],
    ['all', { value: '' }, [], ['reloader-cronjob report', 'reloader-cronjob own']],
  ])('say that it watches %s, also if KUBERNETES_NAMESPACE does', async (_what, variable, args, expected) => {
    const env = [{ name: 'KUBERNETES_NAMESPACE', ...variable }];
    const watching = deployment({
      ...{ name: 'reloader-reloader', namespace: 'tools' },
      containers: [{ name: 'reloader', image: 'ghcr.io/stakater/reloader:v1.4.21', args: [...args], env }],
    });
    const harness = cluster(report, cronJob({ ...uses, name: 'own', namespace: 'tools' }), watching);
    expect(codes((await migrate(harness, '-A', '-o', 'json')).out)).toEqual(expected);
  });

  describe('with several installs', () => {
    const inNamespace = (namespaceName: string, ...args: readonly string[]): ObjectInput =>
      deployment({
        ...{ name: 'reloader', namespace: namespaceName },
        containers: [{ name: 'reloader', image: 'stakater/reloader', args: [...args] }],
      });
    const several = () =>
      cluster(
        ...[report, cronJob({ ...uses, name: 'own', namespace: 'tools' })],
        ...[inNamespace('shop', '--namespaces=shop'), inNamespace('tools', '--namespaces=tools,default')],
      );

    it('are those of the one that watches the namespace', async () => {
      const { out, err } = await migrate(several(), '-n', 'default', '-o', 'json');
      expect(codes(out)).toEqual(['reloader-cronjob report']);
      expect(err).toBe('the flags of Deployment tools/reloader count: --namespaces=tools,default\n');
    });

    it('are those of the one that watches all namespaces', async () => {
      const { out, err } = await migrate(several(), '-A', '-o', 'json');
      expect(codes(out)).toEqual([]);
      expect(err).toBe(`the flags of Deployment shop/reloader count: --namespaces=shop
Deployment tools/reloader runs Reloader too, and its flags do not count: name a namespace that it watches, with -n
`);
      const global = several();
      global.seed(inNamespace('watch'));
      const all = await migrate(global, '-A', '-o', 'json');
      expect(codes(all.out)).toEqual(['reloader-cronjob report', 'reloader-cronjob own']);
    });
  });

  it.each<[string, readonly ObjectInput[], string]>([
    ['are not mentioned without Reloader', [], ''],
    ['are not mentioned if there are none', [reloader()], ''],
    [
      'are ignored if they are not understood',
      [reloader('--auto-annotation=not a key')],
      'the flags of Deployment tools/reloader-reloader are not understood, and only those given here count\n',
    ],
  ])('%s', async (_what, objects, expected) => {
    expect((await migrate(cluster(silent, ...objects), '-n', 'default')).err).toBe(expected);
  });
});

describe('what cannot be read', () => {
  it('is named, and ends the command with 2', async () => {
    const harness = cluster(waved);
    harness.server.rbac.restrict('admin', [
      rule('apps', 'deployments', 'list', ['shop']),
      rule('', 'configmaps', 'list'),
    ]);
    const { code, out, err } = await migrate(harness, '-n', 'shop');
    expect(out).toContain('Deployment shop/waved (wave-opt-in)');
    expect(err).toMatch(
      /^you may not list deployments\.apps: the flags of Reloader are not known, and only those given here count\n/,
    );
    expect(err).toContain('you may not list secrets in namespace shop: those are missing here\n');
    expect(err).toContain('you may not list jobs.batch in namespace shop: those are missing here\n');
    expect(code).toBe(2);
  });

  it('is not what nobody serves', async () => {
    const harness = cluster(web);
    harness.server.rbac.restrict('admin', [...viewRules('default'), rule('', 'secrets', 'list', ['default'])]);
    const { code, out, err } = await migrate(harness, '-n', 'default');
    expect(out).toBe('no findings, nothing to do for 1 of 1 workload: 1 object in the cluster\n');
    expect([code, err]).toEqual([0, expect.stringMatching(/^.*the flags of Reloader are not known.*\n$/)]);
  });

  it.each<[string, string, object]>([
    ['no namespace', 'shpo', { code: 2, err: 'there is no namespace shpo\n' }],
    ['an empty one', 'shop', { code: 0, err: '' }],
  ])('may be %s', async (_what, name, expected) => {
    expect(await migrate(cluster(web), '-n', name)).toMatchObject(expected);
  });

  it('is not a namespace that may not be read itself', async () => {
    const harness = cluster(web);
    harness.server.rbac.restrict('admin', [...viewRules('shpo'), rule('', 'secrets', 'list', ['shpo'])]);
    expect((await migrate(harness, '-n', 'shpo')).code).toBe(0);
  });

  it('may be the whole cluster', async () => {
    const connect = () => Promise.reject(new CredentialsError('there is no kubeconfig /root/.kube/config'));
    expect(await runMigrate(['-A'], memoryFiles({}), undefined, connect)).toEqual({
      ...{ code: 2, out: '', err: 'there is no kubeconfig /root/.kube/config\n' },
    });
  });

  it.each<[string, readonly string[], string]>([
    ['nothing', [], 'nothing to read: name manifests with --filename, or --namespace or --all-namespaces of a cluster'],
    ['files and a cluster', ['-f', 'x', '-A'], 'name either files with --filename or --all-namespaces, not both'],
    ['one namespace and all', ['-A', '-n', 'shop'], 'name either --namespace or --all-namespaces, not both'],
  ])('is refused: %s', async (_what, args, problem) => {
    const run = await runMigrate(args, memoryFiles({}));
    expect([run.code, run.out]).toEqual([2, '']);
    expect(run.err).toContain(problem);
  });
});

it('flags of the connection reach it', async () => {
  const parts: unknown[] = [];
  const connect: MigrateWorld['connect'] = async (part) => {
    parts.push(part);
    return await Promise.reject(new CredentialsError('no'));
  };
  await runMigrate(['-A', '--kubeconfig=k', '--context=c', '--timeout=3s'], memoryFiles({}), undefined, connect);
  expect(parts).toEqual([{ kubeconfig: 'k', context: 'c', timeoutMs: 3_000, namespace: undefined }]);
});
