import { describe, expect, it } from '@jest/globals';
import { historyCommandIn } from '../../cli/history/history-command';
import { configMap } from '../apiserver/cluster';
import { clusterOf, runAgainst, withEndlessPages, type Answering, type Run } from './asking.fixture';
import type { Engine, Harness } from './harness';
import { entryLine, rollingCluster } from './history.fixture';
import { rule, viewRules } from './rights.fixture';

const command = { name: 'history', loadIn: historyCommandIn };

/** Restarts of three namespaces in the ConfigMaps, and one that this leader made and followed. */
async function situation(): Promise<readonly [Harness, Engine]> {
  const harness = rollingCluster();
  const restarts = [
    entryLine({ id: '00000001', at: '2025-12-31T22:00:00.000Z', namespace: 'default', name: 'api' }),
    entryLine({ id: '00000002', at: '2025-12-31T22:30:00.000Z', name: 'cart' }),
    entryLine({ id: '00000003', at: '2025-12-29T22:00:00.000Z', namespace: 'default', name: 'old' }),
    entryLine({
      ...{ id: '00000004', at: '2025-12-31T23:00:00.000Z', namespace: 'default', name: 'db', kind: 'StatefulSet' },
      ...{ outcome: 'unhealthy', reason: '0 of 1 pods are ready after 10m' },
      causes: [
        { kind: 'Secret', name: 'db', change: '0badcafe', why: 'content changed', keys: ['password', 'user'], author: 'alice', manager: 'kubectl-edit' }, // prettier-ignore
        { kind: 'ConfigMap', name: 'tuning', why: 'it was deleted' },
      ],
    }),
  ].join('');
  harness.seed(configMap({ name: 'reroll-history-0', namespace: 'reroll', data: { restarts } }));
  const engine = await harness.start();
  await harness.clock.advance(60_000);
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(60_000);
  return [harness, engine];
}

async function ask(
  [harness, engine]: readonly [Harness, Engine],
  by: Answering,
  args: readonly string[] = [],
): Promise<Run> {
  const run = await runAgainst(clusterOf(harness, engine, by), harness, command, args);
  return { ...run, out: run.out.replaceAll(/\b[0-9a-f]{8}\b(?=.* ConfigMap app)/g, '<change>') };
}

const table = `AGE    WORKLOAD         OUTCOME                                      CHANGE     BECAUSE
59s    deployment/web   healthy                                      <change>   ConfigMap app: color
1h2m   statefulset/db   unhealthy: 0 of 1 pods are ready after 10m   0badcafe   Secret db: password and user by alice (kubectl-edit); ConfigMap tuning: it was deleted
2h2m   deployment/api   healthy                                      <change>   ConfigMap app: color

3 restarts in namespace default in the last 24h: 2 healthy and 1 unhealthy
`;

describe('reroll history', () => {
  it('shows the restarts that the leader tells, newest first, and ends with 1 if pods did not become well', async () => {
    const { code, out, err } = await ask(await situation(), 'leader');
    expect(out).toBe(table);
    expect([code, err]).toEqual([1, '']);
  });

  it.each<[readonly string[], number, RegExp]>([
    [['deployment/api'], 0, /^AGE[^]*\n2h2m +deployment\/api [^]*\n1 restart of deployment\/api in namespace default in the last 24h: 1 healthy\n$/], // prettier-ignore
    [['deployment/none'], 0, /^no restart of deployment\/none in namespace default in the last 24h\n$/],
    [['sts', 'db'], 1, /^1 restart of statefulset\/db in namespace default in the last 24h: 1 unhealthy\n$/m],
    [['--since', '96h'], 1, /\n2d2h +deployment\/old[^]*in the last 96h: 3 healthy and 1 unhealthy\n$/],
    [['--since=30m'], 0, /in the last 30m: 1 healthy\n$/],
    [['-n', 'shop'], 0, /^1 restart in namespace shop in the last 24h: 1 healthy\n$/m],
    [['-n', 'none'], 0, /^no restart in namespace none in the last 24h\n$/],
    [['-A'], 1, /^AGE +NAMESPACE +WORKLOAD[^]*shop +deployment\/cart[^]*4 restarts in any namespace/],
    [['-o', 'wide'], 1, /TIME +WORKLOAD +OUTCOME +CHANGE +RESTART +STRATEGY +BECAUSE\n[^]*2025-12-31T23:00:00.000Z +statefulset\/db .* 00000004 +env-vars +Secret db/], // prettier-ignore
    [['-o', 'name'], 1, /^deployment\.apps\/web\nstatefulset\.apps\/db\ndeployment\.apps\/api\n$/],
    [['-o', 'yaml'], 1, /^v: 1\nentries:\n {2}- at: /],
  ])('answers %j', async (args, code, expected) => {
    const run = await ask(await situation(), 'leader', args);
    expect(run.out).toMatch(expected);
    expect(run.code).toBe(code);
  });

  it('prints the JSON of the interface', async () => {
    const { out } = await ask(await situation(), 'leader', ['-o', 'json', 'sts/db']);
    expect(JSON.parse(out)).toEqual({
      ...{ v: 1, answeredBy: 'leader' },
      entries: [expect.objectContaining({ id: '00000004', outcome: 'unhealthy', causes: [expect.objectContaining({ author: 'alice' }), expect.anything()] })], // prettier-ignore
    });
  });

  it.each([
    ['pods/web', /no kind of workload/],
    ['--since=never', /--since/],
  ])('refuses %s', async (arg, expected) => {
    const { code, err } = await ask(await situation(), 'leader', [arg]);
    expect(code).toBe(2);
    expect(err).toMatch(expected);
  });
});

describe('without the leader', () => {
  it('reads the ConfigMaps, and says so', async () => {
    const situated = await situation();
    const { out, err, code } = await ask(situated, 'objects');
    expect(out).toBe(table);
    expect(code).toBe(1);
    expect(err).toBe(
      'you may not get pods/portforward; the answer is from the ConfigMaps of namespace reroll, which may be some seconds behind\n',
    );
    expect(JSON.parse((await ask(situated, 'objects', ['-o', 'json'])).out)).toMatchObject({
      answeredBy: 'configmaps',
    });
  });

  it('reads them too if the leader never stops', async () => {
    const [harness, engine] = await situation();
    const cluster = withEndlessPages(clusterOf(harness, engine, 'leader'));
    const { out, err } = await runAgainst(cluster, harness, command, []);
    expect(out).toMatch(/^3 restarts in namespace default/m);
    expect(err).toMatch(/^the leader reroll-0 sends more than 200 pages .*; the answer is from the ConfigMaps/);
  });

  it('leaves out a ConfigMap that is no history, and names it', async () => {
    const [harness, engine] = await situation();
    harness.seed(configMap({ name: 'reroll-history-1', namespace: 'reroll', data: { restarts: 'hello' } }));
    const { out, err } = await ask([harness, engine], 'objects');
    expect(out).toBe(table);
    expect(err).toContain('ConfigMap reroll/reroll-history-1 is left out: line 1 is not JSON\n');
  });

  it('tells those of a later ConfigMap, too, after somebody has deleted one before it', async () => {
    const [harness, engine] = await situation();
    const newest = entryLine({ id: '00000005', at: '2025-12-31T23:30:00.000Z', namespace: 'default', name: 'shop' });
    harness.seed(configMap({ name: 'reroll-history-2', namespace: 'reroll', data: { restarts: newest } }));
    const { out } = await ask([harness, engine], 'objects');
    expect(out).toMatch(/^[\dms]+ +deployment\/shop /m);
    expect(out).toMatch(/^4 restarts in namespace default/m);
  });

  it('tells the last restart of each workload where the ConfigMaps may not be read', async () => {
    const [harness, engine] = await situation();
    harness.server.rbac.restrict('admin', [
      rule('*', 'deployments statefulsets daemonsets events', 'list', ['default']),
    ]);
    const { out, err, code } = await ask([harness, engine], 'objects');
    expect(out).toBe(`AGE   WORKLOAD         OUTCOME   CHANGE     BECAUSE
59s   deployment/web   unknown   <change>   ConfigMap app: color

1 restart in namespace default in the last 24h: 1 unknown
`);
    expect(code).toBe(0);
    expect(err).toMatch(/the last restart of each alone\nyou may not get configmaps.*are not read\n/);
    expect(err).toMatch(/you may not list jobs.*: those are missing here\n/);
  });

  it('is empty where nothing was restarted, for somebody who may list only what is built in', async () => {
    const [harness, engine] = await situation();
    harness.server.rbac.restrict('admin', viewRules('shop'));
    const { out, err, code } = await ask([harness, engine], 'objects', ['-n', 'shop']);
    expect(out).toBe('no restart in namespace shop in the last 24h\n');
    expect([code, err]).toEqual([0, expect.not.stringContaining('those are missing here')]);
  });

  it('tells by the Events that pods did not become well', async () => {
    const [harness, engine] = await situation();
    const { metadata } = await harness.get('Deployment', 'web');
    const { id } = JSON.parse(metadata.annotations?.['reroll.dev/last-restart'] ?? '{}') as { readonly id: string };
    await harness.admin.request({
      method: 'POST',
      path: '/api/v1/namespaces/default/events',
      body: {
        ...{ apiVersion: 'v1', kind: 'Event', metadata: { name: 'web.1', namespace: 'default' } },
        involvedObject: { kind: 'Deployment', name: 'web', namespace: 'default' },
        ...{ type: 'Warning', reason: 'ReloadUnhealthy', source: { component: 'reroll' } },
        message: `not healthy since the restart ${id}: 0 of 1 pods are available`,
      },
    });
    harness.server.rbac.restrict('admin', [
      rule('*', 'deployments statefulsets daemonsets events', 'list', ['default']),
    ]);
    const { out, code } = await ask([harness, engine], 'objects');
    expect(out).toContain('unhealthy: 0 of 1 pods are available');
    expect(code).toBe(1);
  });

  it('ends with 3 where nothing may be read', async () => {
    const [harness, engine] = await situation();
    harness.server.rbac.restrict('admin', []);
    const { code, err } = await ask([harness, engine], 'objects');
    expect(code).toBe(3);
    expect(err).toContain('so there is nothing to answer from');
  });
});
