import { describe, expect, it } from '@jest/globals';
import { statusCommandIn } from '../../cli/status/status-command';
import { usersCommandIn } from '../../cli/users/users-command';
import { parseSelector } from '../../shared/domain/kubernetes/selector';
import { rolloutKind } from '../apiserver/add-ons';
import { configMap, cronJob, deployment, envFromKey, fromConfigMap, namespace } from '../apiserver/cluster';
import { clusterOf, rerollDeployment, runAgainst, withEndlessPages, type Answering, type Run } from './asking.fixture';
import { engineUser, Harness, type Engine } from './harness';
import { rule, viewRules } from './rights.fixture';
import { app, auto, changeColor, ownRights, readAll, running, settled, uses, web } from './situations.fixture';
import { webhookMode, whySituations } from './why-situations.fixture';

const status = { name: 'status', loadIn: statusCommandIn };
const users = { name: 'users', loadIn: usersCommandIn };

const settling = deployment({
  ...{ name: 'slow', envFrom: [fromConfigMap('app')] },
  annotations: { ...auto, 'reroll.dev/settle': '1m', 'reroll.dev/settle-max': '1m' },
});
const paused = deployment({
  ...{ name: 'held', envFrom: [fromConfigMap('app')] },
  annotations: { ...auto, 'deployment.reloader.stakater.com/pause-period': '5m' },
});
const shop = [
  ...[app, web, settling, paused, deployment({ name: 'silent', envFrom: [fromConfigMap('app')] })],
  ...[namespace('shop'), cronJob({ ...uses, name: 'report', namespace: 'shop' }), rerollDeployment()],
];

const exclude = 'configmaps.exclude.reloader.stakater.com/reload';

type Situated = readonly [Harness, Engine];

async function ask(
  command: typeof status,
  [harness, engine]: Situated,
  answering: Answering,
  args: readonly string[],
): Promise<Run> {
  return await runAgainst(clusterOf(harness, engine, answering), harness, command, args);
}

async function changed(): Promise<Situated> {
  return await running({ objects: shop, then: async (harness) => await changeColor(harness, 20_000), answer: {} });
}

describe('reroll status', () => {
  it('shows what each workload waits for', async () => {
    const { code, out, err } = await ask(status, await changed(), 'leader', []);
    expect(out).toBe(`WORKLOAD          STATE     WAITS FOR       UNTIL           LAST RESTART   BY
deployment/held   waiting   pause           in 4 minutes    19s
deployment/slow   pending   settle-window   in 40 seconds   never
deployment/web    in-step                                   19s

3 workloads: 1 waiting, 1 pending and 1 in-step
`);
    expect([code, err]).toEqual([0, '']);
  });

  it('shows what the objects tell, where the leader may not be asked', async () => {
    const { code, out, err } = await ask(status, await changed(), 'objects', []);
    expect(out).toBe(`WORKLOAD          STATE     WAITS FOR   UNTIL          LAST RESTART   BY
deployment/held   waiting   pause       in 4 minutes   19s
deployment/slow   unknown                              never
deployment/web    unknown                              19s

3 workloads: 1 waiting and 2 unknown
`);
    expect(code).toBe(0);
    expect(err).toMatch(/^you may not get pods\/portforward; the answer is from what you may read yourself/);
  });

  it.each<Answering>(['leader', 'objects'])('tells who caused the last restart, by the %s', async (answering) => {
    const situated = await running(whySituations['alice caused the last restart']!);
    expect((await ask(status, situated, answering, [])).out).toMatch(/LAST RESTART +BY\n.* 11m59s +alice$/m);
    const told = JSON.parse((await ask(status, situated, answering, ['-o', 'json'])).out);
    expect(told.workloads).toMatchObject([{ name: 'web', lastRestartBy: ['alice'] }]);
  });

  it('shows what the objects tell, if the leader never stops', async () => {
    const [harness, engine] = await changed();
    const { out, err } = await runAgainst(withEndlessPages(clusterOf(harness, engine, 'leader')), harness, status, []);
    expect(out).toMatch(/^3 workloads: 1 waiting and 2 unknown$/m);
    expect(err).toMatch(/^the leader reroll-0 sends more than 200 pages .*; the answer is from what you may read/);
  });

  it.each<[Answering, readonly string[], RegExp]>([
    ['leader', ['-A'], /^NAMESPACE +WORKLOAD[^]*^shop +cronjob\/report/m],
    ['objects', ['-A'], /^NAMESPACE +WORKLOAD[^]*^shop +cronjob\/report/m],
    ['leader', ['-n', 'shop'], /^1 workload: 1 pending|1 workload: 1 in-step/m],
    ['leader', ['-n', 'none'], /^no workload in namespace none asks for restarts\n$/],
    ['leader', ['-o', 'wide'], /SINCE[^]*^deployment\/slow +pending +settle-window +20s/m],
    ['leader', ['-o', 'name'], /^deployment\.apps\/held\ndeployment\.apps\/slow\ndeployment\.apps\/web\n$/],
    ['leader', ['-o', 'yaml'], /^v: 1\nworkloads:\n/],
  ])('by the %s, with %j', async (answering, args, expected) => {
    expect((await ask(status, await changed(), answering, args)).out).toMatch(expected);
  });

  it('prints the JSON of the interface', async () => {
    const situated = await changed();
    const told = JSON.parse((await ask(status, situated, 'leader', ['-o', 'json'])).out);
    expect(told).toMatchObject({ v: 1, answeredBy: 'leader' });
    expect(told.workloads).toHaveLength(3);
    expect(told.workloads[1]).toMatchObject({
      kind: 'Deployment',
      namespace: 'default',
      name: 'slow',
      state: 'pending',
    });
    const seen = JSON.parse((await ask(status, situated, 'objects', ['-o', 'json'])).out);
    expect(seen).toMatchObject({ answeredBy: 'objects', workloads: [{ waitsFor: 'pause' }, {}, { state: 'unknown' }] });
  });

  it('reads all pages', async () => {
    const many = Array.from({ length: 501 }, (_, index) => deployment({ ...uses, name: `web-${index}` }));
    const situated = await running({ objects: [app, ...many], answer: {} });
    expect((await ask(status, situated, 'leader', [])).out).toMatch(/^501 workloads: 501 in-step$/m);
    expect((await ask(status, situated, 'objects', [])).out).toMatch(/^501 workloads: 501 unknown$/m);
  });

  it('ends with 1 if something is blocked', async () => {
    const then = async (harness: Harness) => {
      harness.server.rbac.restrict(engineUser, [readAll, ownRights]);
      await changeColor(harness);
    };
    const { code, out } = await ask(status, await running({ objects: [app, web], then, answer: {} }), 'leader', []);
    expect(code).toBe(1);
    expect(out).toMatch(/^deployment\/web +blocked +permission \(KUBE_FORBIDDEN\)/m);
  });

  it('leaves out namespaces that the install does not select, also without the leader', async () => {
    const namespaceSelector = parseSelector('env=prod');
    const objects = [app, web, rerollDeployment({ namespaceSelector })];
    const situated = await running({ objects, settings: { namespaceSelector }, answer: {} });
    for (const answering of ['leader', 'objects'] as const) {
      expect((await ask(status, situated, answering, [])).out).toBe(
        'no workload in namespace default asks for restarts\n',
      );
    }
  });

  it('names the kinds that may not be listed, and ends with 3 if there are no others', async () => {
    const situated = await changed();
    const [harness] = situated;
    harness.server.rbac.restrict('admin', [rule('apps', 'deployments', 'list')]);
    const some = await ask(status, situated, 'objects', []);
    expect(some.err).toContain('you may not list jobs.batch in namespace default: those are missing here\n');
    expect(some.code).toBe(0);
    harness.server.rbac.restrict('admin', []);
    expect(await ask(status, situated, 'objects', [])).toMatchObject({ code: 3, out: '' });
  });

  it.each([
    [[], [], 0],
    [[rolloutKind], ['you may not list rollouts.argoproj.io in namespace default: those are missing here'], 0],
  ])('does not miss kinds that nobody serves: %#', async (customKinds, expected, code) => {
    for (const objects of [[], [app, web]]) {
      const situated = await running({ objects, answer: {} });
      const { server } = situated[0];
      for (const kind of customKinds) server.serve(kind);
      server.rbac.restrict('admin', viewRules('default'));
      const run = await ask(status, situated, 'objects', []);
      expect(run.err.split('\n').filter((line) => line.endsWith(': those are missing here'))).toEqual(expected);
      expect([run.code, run.out]).toEqual([code, expect.stringMatching(objects.length === 0 ? /^no workload/ : /web/)]);
    }
  });

  it.each([
    ['an argument', ['deployment/web'], 'unexpected argument "deployment/web"'],
    ['--watch with JSON', ['--watch', '-o', 'json'], '--watch needs --output=text or wide'],
  ])('refuses %s', async (_what, args, problem) => {
    const run = await ask(status, await running({ objects: [], answer: {} }), 'leader', args);
    expect(run.code).toBe(2);
    expect(run.err).toContain(problem);
  });
});

describe('reroll users', () => {
  const objects = [
    app,
    web,
    deployment({ name: 'api', annotations: auto, env: [envFromKey('ConfigMap', 'app', 'color')] }),
    deployment({ name: 'batch', annotations: { 'configmap.reloader.stakater.com/reload': 'ap+' } }),
    deployment({
      ...{ name: 'calm', envFrom: [fromConfigMap('app')] },
      annotations: { ...auto, [exclude]: 'app' },
    }),
    deployment({ name: 'silent', envFrom: [fromConfigMap('app')] }),
    rerollDeployment(),
  ];
  const table = `a change of ConfigMap default/app restarts 3 of 4 workloads that ask for restarts and use it: deployment/api, deployment/batch and deployment/web

WORKLOAD           RESTARTS   KEYS    BY                                                BECAUSE
deployment/api     yes        color   reloader.stakater.com/auto                        the workload restarts for everything it uses
deployment/batch   yes        all     configmap.reloader.stakater.com/reload            the workload's list names the source
deployment/calm    no         all     configmaps.exclude.reloader.stakater.com/reload   the workload's exclude list names the source
deployment/web     yes        all     reloader.stakater.com/auto                        the workload restarts for everything it uses
`;

  it.each<Answering>(['leader', 'objects'])('shows who uses a source, and by which rule: %s', async (answering) => {
    const run = await ask(users, await running({ objects, answer: {} }), answering, ['configmap/app']);
    expect(run.out).toBe(table);
    expect(run.code).toBe(0);
  });

  it.each<[Answering, readonly string[], number, RegExp]>([
    ['leader', ['cm/none'], 1, /^there is no ConfigMap default\/none\n$/],
    ['objects', ['cm/none'], 1, /^there is no ConfigMap default\/none\n$/],
    ['leader', ['secretproviderclass/vault'], 0, /restarts nothing: a flag of Reroll leaves out its kind/],
    ['objects', ['secretproviderclass/vault'], 0, /restarts nothing: a flag of Reroll leaves out its kind/],
    [
      'leader',
      ['cm', 'app', '-o', 'name'],
      0,
      /^deployment\.apps\/api\ndeployment\.apps\/batch\ndeployment\.apps\/calm\ndeployment\.apps\/web\n$/,
    ],
    ['leader', ['cm/app', '-o', 'yaml'], 0, /^v: 1\nkind: ConfigMap\n/],
  ])('by the %s, for %j', async (answering, args, code, expected) => {
    const run = await ask(users, await running({ objects, answer: {} }), answering, args);
    expect(run.out).toMatch(expected);
    expect(run.code).toBe(code);
  });

  it('prints the JSON of the interface', async () => {
    const situated = await running({ objects, answer: {} });
    for (const answeredBy of ['leader', 'objects'] as const) {
      const json = JSON.parse((await ask(users, situated, answeredBy, ['cm/app', '-o', 'json'])).out);
      expect(json).toMatchObject({
        v: 1,
        presence: 'present',
        answeredBy,
        users: [{ name: 'api', keys: ['color'] }, {}, {}, {}],
      });
    }
  });

  it.each<Answering>(['leader', 'objects'])('promises no restart in a dry run: %s', async (answering) => {
    const settings = { dryRun: true };
    const situated = await running({ objects: [app, web, rerollDeployment(settings)], settings, answer: {} });
    expect((await ask(users, situated, answering, ['cm/app'])).out).toMatch(
      /^a change of ConfigMap default\/app restarts nothing: Reroll runs with --dry-run, and writes nothing\n/,
    );
  });

  it('promises no restart where Reroll calls a URL instead', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    const engine = await harness.start({}, undefined, webhookMode());
    expect((await ask(users, [harness, engine], 'leader', ['cm/app'])).out).toMatch(
      /^a change of ConfigMap default\/app restarts nothing: for each change Reroll calls --webhook-url instead\n/,
    );
  });

  it.each([{ namespacesToIgnore: ['default'] }, { namespaces: ['other'] }])(
    'says without the leader, too, that the namespace is left out by %j',
    async (settings) => {
      const situated = await running({ objects: [app, web, rerollDeployment(settings)], settings, answer: {} });
      for (const answering of ['leader', 'objects'] as const) {
        expect((await ask(users, situated, answering, ['cm/app'])).out).toBe(
          'a change of ConfigMap default/app restarts nothing: a flag of Reroll leaves out its kind or its namespace\n',
        );
      }
    },
  );

  it.each<Answering>(['leader', 'objects'])(
    'says that the labels of a source may leave it out, which is there: %s',
    async (answering) => {
      const settings = { sourceSelector: parseSelector('reload=yes') };
      const situated = await running({ objects: [app, web, rerollDeployment(settings)], settings, answer: {} });
      const { code, out } = await ask(users, situated, answering, ['cm/app']);
      expect(out).toMatch(
        /^there is no ConfigMap default\/app that matches --resource-label-selector=reload=yes, and 1 of the workloads there name it\n[^]* the source does not exist, and --reload-on-create is off\n$/,
      );
      expect(code).toBe(1);
    },
  );

  it('restarts nothing in a namespace without workloads, for somebody who may list only what is built in', async () => {
    const situated = await running({ objects: [app], answer: {} });
    situated[0].server.rbac.restrict('admin', viewRules('default'));
    const { code, out, err } = await ask(users, situated, 'objects', ['cm/app']);
    expect(out).toMatch(/restarts nothing: no workload that asks for restarts uses it\n$/);
    expect([code, err]).toEqual([0, expect.not.stringContaining('those are missing here')]);
  });

  it('knows a source that restarts nothing', async () => {
    const lone = configMap({ name: 'lone', data: { a: 'b' } });
    const situated = await running({ objects: [lone, ...objects], answer: {} });
    await situated[0].clock.advance(settled);
    expect((await ask(users, situated, 'leader', ['cm/lone'])).out).toBe(
      'a change of ConfigMap default/lone restarts nothing: no workload that asks for restarts uses it\n',
    );
  });
});
