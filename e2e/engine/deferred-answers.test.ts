import { describe, expect, it } from '@jest/globals';
import { resumeCommandIn } from '../../cli/pause/resume-command';
import { statusCommandIn } from '../../cli/status/status-command';
import { usersCommandIn } from '../../cli/users/users-command';
import { configMap, deployment, fromConfigMap, namespace } from '../apiserver/cluster';
import { ownNamespace } from '../engine-settings';
import { clusterOf, rerollDeployment, runAgainst, type Answering } from './asking.fixture';
import type { Engine, Harness } from './harness';
import { inspected } from './inspection.fixture';
import { firstLine, preview, situated, yaml } from './preview.fixture';
import { rule } from './rights.fixture';
import { app, auto, changeColor, running, uses, web, type Situation } from './situations.fixture';

const hold = 'reroll.dev/hold';
const status = { name: 'status', loadIn: statusCommandIn };
const resume = { name: 'resume', loadIn: resumeCommandIn };
const users = { name: 'users', loadIn: usersCommandIn };
const heldShop = namespace('default', { annotations: { [hold]: 'until=2026-01-03T00:00:00Z, because=audit' } });
const everything = configMap({
  ...{ name: 'reroll-hold', namespace: ownNamespace, annotations: { [hold]: 'because=incident 42' } },
});
const free = deployment({ ...uses, name: 'free', annotations: { ...auto, [hold]: 'false' } });

type Situated = readonly [Harness, Engine];

async function inSituation(situation: Partial<Situation>): Promise<Situated> {
  const objects = [app, web, free, rerollDeployment(situation.settings), ...(situation.objects ?? [])];
  return await running({ answer: {}, ...situation, objects });
}

async function ask(command: typeof status, [harness, engine]: Situated, answering: Answering, ...args: string[]) {
  return await runAgainst(clusterOf(harness, engine, answering), harness, command, args);
}

describe('reroll status', () => {
  it('shows what is held, until when, and why', async () => {
    const run = await ask(
      status,
      await inSituation({ objects: [heldShop], then: changeColor }),
      'leader',
      '-o',
      'wide',
    );
    expect(run.out).toBe(`WORKLOAD          STATE     WAITS FOR   SINCE   UNTIL      LAST RESTART   BY   DETAIL
deployment/free   in-step                                  59s
deployment/web    waiting   hold        59s     in 1 day   never               reroll.dev/hold on namespace default: audit

2 workloads: 1 in-step and 1 waiting; 1 held
`);
    expect(run.code).toBe(0);
  });

  it.each<Answering>(['leader', 'objects'])('says first that everything is held: %s', async (answering) => {
    const running = await inSituation({ objects: [everything] });
    const line = 'everything is held by ConfigMap reroll/reroll-hold: incident 42 (reroll resume --all ends it)';
    expect((await ask(status, running, answering)).out).toMatch(
      new RegExp(`^${line.replace(/[()]/g, '\\$&')}\n\nWORKLOAD`),
    );
    const json: unknown = JSON.parse((await ask(status, running, answering, '-o', 'json')).out);
    expect(json).toMatchObject({ hold: { bearer: 'ConfigMap reroll/reroll-hold', because: 'incident 42' } });
  });

  it('says that it does not know whether everything is held', async () => {
    const [harness, engine] = await inSituation({ objects: [everything] });
    harness.server.rbac.restrict('admin', [rule('apps', 'deployments', 'list')]);
    const { err, out } = await ask(status, [harness, engine], 'objects');
    expect(err).toContain(
      'you may not get configmaps in namespace reroll, so it is not known whether everything is held\n',
    );
    expect(out).not.toContain('held');
  });
});

describe('the leader', () => {
  it('tells in its health that everything is held, as long as it is', async () => {
    const until = '2026-01-01T01:00:00.000Z';
    const annotations = { [hold]: `until=${until}` };
    const [harness, engine] = await inSituation({
      objects: [configMap({ name: 'reroll-hold', namespace: ownNamespace, annotations })],
    });
    const told = { bearer: 'ConfigMap reroll/reroll-hold', until };
    expect(inspected.health(engine).hold).toEqual(told);
    expect(inspected.page(engine).hold).toEqual(told);
    await harness.clock.advance(3_600_000);
    expect(inspected.health(engine).hold).toBeUndefined();
  });

  it('tells which watches were refused, so that it goes on without them', async () => {
    const [, engine] = await inSituation({
      first: (harness) =>
        void harness.faults.add({
          match: ({ pathname }) => pathname === '/api/v1/namespaces',
          fault: { kind: 'status', code: 403 },
        }),
    });
    const refused = inspected.health(engine).watches.filter((watch) => watch.refused);
    expect(refused).toMatchObject([{ name: 'namespaces', listed: false }]);
  });
});

describe('reroll users', () => {
  it.each<Answering>(['leader', 'objects'])('says when a change would restart: %s', async (answering) => {
    const { out } = await ask(users, await inSituation({ objects: [heldShop] }), answering, 'cm/app');
    expect(out)
      .toBe(`a change of ConfigMap default/app restarts 2 of 2 workloads that ask for restarts and use it, 1 of them later: deployment/free and deployment/web

WORKLOAD          RESTARTS   KEYS   BY                           BECAUSE                                        WHEN
deployment/free   yes        all    reloader.stakater.com/auto   the workload restarts for everything it uses   at once
deployment/web    yes        all    reloader.stakater.com/auto   the workload restarts for everything it uses   held until 2026-01-03T00:00:00Z (in 1 day) by reroll.dev/hold on namespace default: audit
`);
  });

  it.each<Answering>(['leader', 'objects'])(
    'does not count what namespaces say where single ones are watched: %s',
    async (answering) => {
      const settings = { namespaces: ['default'] };
      const { out } = await ask(users, await inSituation({ objects: [heldShop], settings }), answering, 'cm/app');
      expect(out).not.toContain('held');
    },
  );
});

describe('reroll preview', () => {
  const edit = ['cm/app', '--set', 'color=green'];

  it.each<Answering>(['leader', 'objects'])('says when an edit would restart: %s', async (answering) => {
    const run = await preview(await situated([app, web, everything]), edit, { answering });
    expect(firstLine(run)).toBe(
      'would restart 1 of 1 workload that asks for restarts and uses ConfigMap default/app, later: deployment/web',
    );
    expect(run.out).toMatch(/^deployment\/web +restarts .* held by ConfigMap reroll\/reroll-hold: incident 42$/m);
    const json: unknown = JSON.parse(
      (await preview(await situated([app, web, everything]), [...edit, '-o', 'json'], { answering })).out,
    );
    expect(json).toMatchObject({ workloads: [{ outcome: 'restarts', deferred: { gate: 'hold' } }] });
  });

  it.each<[string, object, RegExp]>([
    [
      'the source',
      configMap({ name: 'app', data: { color: 'green' }, annotations: { [hold]: 'true' } }),
      /held by reroll\.dev\/hold on ConfigMap app$/m,
    ],
    [
      'the workload',
      { ...web, metadata: { ...web.metadata, annotations: { ...auto, [hold]: 'true' } } },
      /held by reroll\.dev\/hold on the workload$/m,
    ],
  ])('counts a hold that the manifests put on %s', async (_what, changed, expected) => {
    const manifests = [configMap({ name: 'app', data: { color: 'green', size: 'small' } }), changed];
    const run = await preview(await situated([app, web]), ['-f', '-'], { files: { '-': yaml(...manifests) } });
    expect(run.out).toMatch(expected);
  });

  it('begins with the first change that may, if there are several', async () => {
    const theme = configMap({ name: 'theme', data: { font: 'serif' } });
    const both = deployment({
      name: 'web',
      annotations: auto,
      envFrom: [fromConfigMap('app'), fromConfigMap('theme')],
    });
    const held = configMap({ name: 'app', data: { color: 'red', size: 'small' }, annotations: { [hold]: 'true' } });
    const after = [
      configMap({ name: 'app', data: { color: 'green', size: 'small' }, annotations: { [hold]: 'true' } }),
      configMap({ name: 'theme', data: { font: 'mono' } }),
    ];
    const run = await preview(await situated([held, theme, both]), ['-f', '-'], { files: { '-': yaml(...after) } });
    expect(firstLine(run)).not.toContain('later');
    expect(run.out).not.toContain('WHEN');
  });
});

describe('reroll resume announces no restart that another hold keeps', () => {
  const own = deployment({ ...uses, name: 'own', annotations: { ...auto, [hold]: 'because=debugging' } });

  it.each(['namespace/default', 'cm/app'])('of %s, which has no hold', async (arg) => {
    const situated = await inSituation({ objects: [namespace('default'), own], then: changeColor });
    expect((await ask(resume, situated, 'leader', arg)).out).toMatch(/^.* default(\/app)? has no hold of its own\n$/);
  });

  it.each([
    ['namespace/default', [heldShop, app]],
    ['cm/app', [configMap({ name: 'app', data: { color: 'red' }, annotations: { [hold]: 'true' } })]],
  ])('of %s, which holds others', async (arg, held) => {
    const situated = await running({ objects: [...held, web, own, rerollDeployment()], then: changeColor, answer: {} });
    expect((await ask(resume, situated, 'leader', arg)).out).toMatch(
      / is not held any more\nrestarts that waited: Deployment default\/web\n$/,
    );
  });

  it('in a namespace whose hold counts for a source no more', async () => {
    const situated = await running({
      objects: [app, heldShop, web, own, rerollDeployment()],
      ...{ then: changeColor, answer: {} },
    });
    const { out } = await runAgainst(clusterOf(...situated, 'leader'), situated[0], resume, ['cm/app', '--override']);
    expect(out).toContain('\nrestarts that waited: Deployment default/web\n');
  });
});
