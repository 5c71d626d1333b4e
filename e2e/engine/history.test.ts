import { describe, expect, it } from '@jest/globals';
import { budgets } from '../../shared/domain/budgets';
import { configMap, deployment, job, secret, statefulSet } from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import type { FaultTarget } from '../apiserver/faults';
import { auditLines } from './audit-lines.fixture';
import { engineUser, Harness, handoverLease, type Engine } from './harness';
import { entryLine, pageOf, rollingCluster, stored, told } from './history.fixture';
import { inspected } from './inspection.fixture';
import { ownRights, readAll, uses } from './situations.fixture';
import { rule } from './rights.fixture';

const blue = { color: 'blue' };
const minute = 60_000;

/** Fails with what the Deployment controller writes when no pod became ready in time. */
async function exceedDeadline(harness: Harness, name = 'web'): Promise<void> {
  const { metadata } = await harness.get('Deployment', name);
  const condition = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' };
  const status = { observedGeneration: metadata.generation, replicas: 2, updatedReplicas: 1, conditions: [condition] };
  await harness.admin.request({
    method: 'PATCH',
    path: `/apis/apps/v1/namespaces/default/deployments/${name}/status`,
    body: { status },
    contentType: 'application/merge-patch+json',
  });
}

async function restartedOnce(settings = {}): Promise<readonly [Harness, Engine]> {
  const harness = rollingCluster();
  const engine = await harness.start(settings);
  await harness.clock.advance(minute);
  await harness.edit('ConfigMap', 'app', blue);
  await harness.clock.advance(minute);
  return [harness, engine];
}

describe('a restart', () => {
  it('is in the history with its cause and how it ended, under one id from the log to the Event', async () => {
    const [harness, engine] = await restartedOnce();
    const [entry, ...others] = await told(harness, engine);
    expect(others).toEqual([]);
    const annotations = (await harness.get('Deployment', 'web')).metadata.annotations ?? {};
    const { at, id, changes } = JSON.parse(annotations['reroll.dev/last-restart'] ?? '{}') as {
      readonly at: string;
      readonly id: string;
      readonly changes: Readonly<Record<string, string>>;
    };
    const change = changes['cm/app'];
    expect(entry).toEqual({
      ...{ at, id, kind: 'Deployment', namespace: 'default', name: 'web', strategy: 'env-vars' },
      causes: [{ kind: 'ConfigMap', name: 'app', change, why: 'content changed', keys: ['color'] }],
      ...{ outcome: 'healthy', outcomeAt: expect.any(String) },
    });
    const seen = engine.lines.find(({ message }) => message === 'ConfigMap default/app changed');
    expect(seen?.fields).toMatchObject({ change });
    const messages = harness.objects('Event').map((event) => String(event['message']));
    expect(messages).toEqual([expect.stringContaining(`(keys: color) (change ${change ?? ''}). Deployment restarted`)]);
    expect(auditLines(engine)).toMatchObject([{ decision: 'restarted', restartId: id, changes: [change] }]);
    expect(await engine.metrics.registry.text()).toContain('reroll_restart_outcomes_total{outcome="healthy"} 1\n');
  });

  it('costs the API server one write some seconds later and one for its end, and nothing while nothing happens', async () => {
    const harness = rollingCluster(20_000);
    await harness.start();
    const writes = (): readonly string[] =>
      harness.server
        .requests()
        .filter(
          ({ namespace, resource, verb }) =>
            namespace === 'reroll' && resource === 'configmaps' && verb !== 'get' && verb !== 'watch',
        )
        .map(({ verb }) => verb);
    await harness.clock.advance(10 * minute);
    expect(writes()).toEqual([]);
    await harness.edit('ConfigMap', 'app', blue);
    await harness.clock.advance(10 * minute);
    expect(writes()).toEqual(['create', 'update']);
  });

  it('of which nobody hears how it ends is superseded by the next', async () => {
    const harness = new Harness();
    harness.seed(configMap({ name: 'app', data: { color: 'red' } }), deployment({ name: 'web', ...uses }));
    const engine = await harness.start();
    for (const color of ['blue', 'green']) {
      await harness.edit('ConfigMap', 'app', { color });
      await harness.clock.advance(minute);
    }
    expect((await told(harness, engine)).map(({ outcome }) => outcome)).toEqual(['rolling', 'superseded']);
    await harness.clock.advance(60 * minute);
    expect(await told(harness, engine)).toMatchObject([
      { outcome: 'unknown', reason: 'the controller has not seen the new template yet after 1h' },
      { outcome: 'superseded' },
    ]);
  });

  it('of a Job is told with its keys, and how the Job ended', async () => {
    const harness = new Harness();
    harness.seed(configMap({ name: 'app', data: { color: 'red' } }), job({ name: 'migrate', ...uses }));
    new Controllers(harness.server).start();
    const engine = await harness.start();
    await harness.edit('ConfigMap', 'app', blue);
    await harness.clock.advance(minute);
    expect(await told(harness, engine)).toMatchObject([
      { kind: 'Job', causes: [{ name: 'app', keys: ['color'], change: expect.any(String) }], outcome: 'healthy' },
    ]);
    expect(auditLines(engine)).toMatchObject([{ decision: 'restarted', kind: 'Job', changes: [expect.any(String)] }]);
  });

  it('whose answer was lost is told once the watch shows it', async () => {
    const harness = rollingCluster();
    const engine = await harness.start();
    await harness.clock.advance(minute);
    const match = ({ method, pathname }: FaultTarget) => method === 'PATCH' && pathname.includes('/deployments/');
    harness.faults.add({ match, fault: { kind: 'reset', when: 'after' }, times: 1 });
    await harness.edit('ConfigMap', 'app', blue);
    await harness.clock.advance(minute);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(await told(harness, engine)).toMatchObject([{ name: 'web', outcome: 'healthy' }]);
    expect(auditLines(engine)).toHaveLength(1);
  });

  it('that the API server refuses is told once, with the code of the error', async () => {
    const harness = rollingCluster();
    const engine = await harness.start();
    await harness.clock.advance(minute);
    harness.server.rbac.restrict(engineUser, [readAll, ownRights, rule('', 'configmaps', '*', ['reroll'])]);
    await harness.edit('ConfigMap', 'app', blue);
    await harness.clock.advance(10 * minute);
    expect(await told(harness, engine)).toMatchObject([{ name: 'web', outcome: 'failed', reason: 'KUBE_FORBIDDEN' }]);
    expect(auditLines(engine)).toMatchObject([{ decision: 'refused', level: 'warn', errorCode: 'KUBE_FORBIDDEN' }]);
    harness.server.rbac.restrict(engineUser, [rule('*', '*', '*')]);
    await harness.clock.advance(10 * minute);
    expect((await told(harness, engine)).map(({ outcome }) => outcome)).toEqual(['healthy', 'failed']);
  });

  it('that the API server refuses is told, although it has refused another one that is not owed any more', async () => {
    const harness = rollingCluster();
    const engine = await harness.start();
    await harness.clock.advance(minute);
    harness.server.rbac.restrict(engineUser, [readAll, ownRights, rule('', 'configmaps', '*', ['reroll'])]);
    for (const color of ['blue', 'red', 'green']) {
      await harness.edit('ConfigMap', 'app', { color });
      await harness.clock.advance(20 * minute);
    }
    const refusals = await told(harness, engine);
    expect(refusals).toMatchObject([{ outcome: 'failed' }, { outcome: 'failed' }]);
    expect(new Set(refusals.map(({ causes: [cause] }) => cause?.change)).size).toBe(2);
    expect(auditLines(engine)).toMatchObject([{ decision: 'refused' }, { decision: 'refused' }]);
  });

  it('that a dry run withholds is told, and written nowhere', async () => {
    const [harness, engine] = await restartedOnce({ dryRun: true });
    expect(await told(harness, engine)).toMatchObject([{ name: 'web', outcome: 'dry-run' }]);
    expect(auditLines(engine)).toMatchObject([{ decision: 'withheld', dryRun: true }]);
    expect(stored(harness).size).toBe(0);
  });
});

describe('a restart after which pods do not become well', () => {
  it('is unhealthy when the API server says so, in log, Event, metric and status, until they are', async () => {
    const harness = new Harness();
    harness.seed(configMap({ name: 'app', data: { color: 'red' } }), deployment({ name: 'web', ...uses }));
    const engine = await harness.start();
    await harness.edit('ConfigMap', 'app', blue);
    await harness.clock.advance(minute);
    await exceedDeadline(harness);
    await harness.clock.advance(minute);
    const reason = '0 of 1 pods are available, and its progress deadline is exceeded';
    const [entry] = await told(harness, engine);
    expect(entry).toMatchObject({ outcome: 'unhealthy', reason });
    expect(inspected.workload(engine, 'Deployment/default/web')).toMatchObject({
      ...{ state: 'unhealthy', restart: 'not-owed', since: entry?.at },
      lastRestart: { outcome: 'unhealthy', reason },
    });
    expect(harness.objects('Event').filter(({ type }) => type === 'Warning')).toMatchObject([
      { reason: 'ReloadUnhealthy', message: `not healthy since the restart ${entry?.id ?? ''}: ${reason}` },
    ]);
    expect(engine.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: `Deployment default/web is not healthy since its restart: ${reason}` },
    ]);
    expect(await engine.metrics.registry.text()).toContain('reroll_restart_outcomes_total{outcome="unhealthy"} 1\n');
    new Controllers(harness.server).start();
    await harness.clock.advance(minute);
    expect(inspected.workload(engine, 'Deployment/default/web')).toMatchObject({ state: 'in-step' });
    expect(await told(harness, engine)).toMatchObject([{ outcome: 'unhealthy' }]);
  });

  it('does not make its successor unhealthy, though a list shows only that one, for want of the right to watch', async () => {
    const harness = new Harness();
    const web = deployment({ name: 'web', ...uses });
    harness.seed(configMap({ name: 'app', data: { color: 'red' } }), web);
    const match = ({ isWatch, pathname }: FaultTarget): boolean => isWatch && pathname.includes('/apis/');
    harness.faults.add({ match, fault: { kind: 'status', code: 403 } });
    const engine = await harness.start();
    await harness.clock.advance(minute);
    await harness.edit('ConfigMap', 'app', blue);
    await harness.clock.advance(minute);
    await exceedDeadline(harness);
    await harness.clock.advance(2 * minute);
    expect(inspected.workload(engine, 'Deployment/default/web')).toMatchObject({ state: 'unhealthy' });
    await harness.delete('Deployment', 'web');
    harness.seed(web);
    await harness.clock.advance(2 * minute);
    expect(inspected.workload(engine, 'Deployment/default/web')).toMatchObject({ state: 'in-step' });
    expect(await told(harness, engine)).toMatchObject([{ outcome: 'unhealthy' }]);
  });

  it('is unhealthy after ten minutes if its controller never says so, with what is missing', async () => {
    const harness = new Harness();
    harness.seed(configMap({ name: 'app', data: { color: 'red' } }), statefulSet({ name: 'db', ...uses }));
    new Controllers(harness.server, { readyDelayMs: 60 * minute }).start();
    const engine = await harness.start();
    await harness.edit('ConfigMap', 'app', blue);
    await harness.clock.advance(9 * minute);
    expect(await told(harness, engine)).toMatchObject([{ outcome: 'rolling' }]);
    await harness.clock.advance(2 * minute);
    expect(await told(harness, engine)).toMatchObject([
      { outcome: 'unhealthy', reason: expect.stringMatching(/^0 of 1 pods are ready after (?:10m|9m59s)$/) },
    ]);
  });
});

describe('the history', () => {
  it('survives the end of its leader, which writes what is left', async () => {
    const [harness, engine] = await restartedOnce();
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(2_000);
    const before = (await told(harness, engine)).map(({ id }) => id);
    await engine.stop();
    expect(before).toHaveLength(2);
    const next = await harness.start({ identity: 'reroll-1' });
    await harness.clock.advance(minute);
    const after = await told(harness, next);
    expect(after.map(({ id }) => id)).toEqual(before);
    expect(after.map(({ outcome }) => outcome)).toEqual(['healthy', 'healthy']);
  });

  it.each([0, 500])('is repaired from the workload if its leader dies %i ms after a restart', async (afterMs) => {
    const harness = rollingCluster(30_000);
    const engine = await harness.start();
    await harness.clock.advance(minute);
    await harness.edit('ConfigMap', 'app', blue);
    while (harness.restarts('Deployment', 'web') === 0) await harness.clock.advance(50);
    await harness.clock.advance(afterMs);
    engine.kill();
    expect(stored(harness).size).toBe(0);
    const next = harness.launch({ identity: 'reroll-1' });
    await harness.clock.advance(5 * minute);
    expect(await told(harness, next)).toMatchObject([
      { name: 'web', causes: [{ name: 'app', keys: ['color'], change: expect.any(String) }], outcome: 'healthy' },
    ]);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('tells of the end of a restart that a standby saw before it took over', async () => {
    const harness = rollingCluster(12_000);
    const leader = await harness.start();
    const standby = await harness.start({ identity: 'reroll-1' });
    await harness.clock.advance(minute);
    const match = ({ method, pathname }: FaultTarget) => method === 'PUT' && pathname.includes('reroll-history');
    harness.faults.add({ match, fault: { kind: 'status', code: 503 } });
    await harness.edit('ConfigMap', 'app', blue);
    // The entry is stored as one that rolls, and its end is not.
    await harness.clock.advance(20_000);
    leader.kill();
    expect([...stored(harness).values()].join('')).not.toContain('healthy');
    await harness.clock.advance(5 * minute);
    expect(await told(harness, standby)).toMatchObject([{ name: 'web', outcome: 'healthy' }]);
  });

  it('believes no annotation of a restart that this leader would have made itself', async () => {
    const [harness, engine] = await restartedOnce();
    const at = new Date(harness.clock.nowMs()).toISOString();
    const forged = JSON.stringify({ at, id: 'deadbeef', sources: {} });
    await harness.patch('Deployment', 'web', { metadata: { annotations: { 'reroll.dev/last-restart': forged } } });
    await harness.clock.advance(minute);
    expect((await told(harness, engine)).map(({ id }) => id)).not.toContain('deadbeef');
  });

  it('stays within its bound, and a namespace with thousands of restarts pushes out only its own', async () => {
    const harness = rollingCluster();
    const lines = Array.from({ length: 6_000 }, (_, index) => {
      const id = index.toString(16).padStart(8, '0');
      return entryLine({ id, namespace: index % 40 === 0 ? 'quiet' : 'noisy' });
    });
    const perSegment = Math.floor(budgets.historySegmentBytes / (lines[1]?.length ?? 1));
    const full = budgets.historySegments * perSegment;
    for (let index = 0; index < budgets.historySegments; index++) {
      const restarts = lines.slice(index * perSegment, (index + 1) * perSegment).join('');
      harness.seed(configMap({ name: `reroll-history-${index}`, namespace: 'reroll', data: { restarts } }));
    }
    const engine = await harness.start();
    await harness.edit('ConfigMap', 'app', blue);
    await harness.clock.advance(minute);
    const sizes = [...stored(harness).values()].map((text) => Buffer.byteLength(text));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(budgets.historySegmentBytes);
    expect(sizes).toHaveLength(budgets.historySegments);
    const kept = async (namespace: string): Promise<number> => {
      let count = 0;
      for (let token: string | undefined = ''; token !== undefined;) {
        await harness.clock.advance(0);
        const page = pageOf(engine, `?namespace=${namespace}&continue=${token}`);
        expect(page.keptSince).toBe('2025-12-31T23:00:00.000Z');
        count += page.entries.length;
        token = page.continue;
      }
      return count;
    };
    await harness.clock.advance(1_000);
    expect(await kept('default')).toBe(1);
    expect(await kept('quiet')).toBe(Math.ceil(full / 40));
    expect(await kept('noisy')).toBeGreaterThan(full / 2);
    expect(await kept('noisy')).toBeLessThan(full * 0.76);
  });

  it.each([
    ['is not JSON', 'hello\n', 'line 1 is not JSON'],
    ['is no line of a history', `${entryLine({})}{"at":"now"}\n`, 'line 2 is no line of a history'],
    ['is too large', entryLine({}).repeat(1_000), `it has more than ${budgets.historySegmentBytes} bytes`],
  ])('drops a segment that %s, says so, and writes over it', async (_what, restarts, problem) => {
    const harness = rollingCluster();
    const good = entryLine({ id: '11111111', name: 'kept' });
    harness.seed(
      configMap({ name: 'reroll-history-0', namespace: 'reroll', data: { restarts: good } }),
      configMap({ name: 'reroll-history-1', namespace: 'reroll', data: { restarts } }),
    );
    const engine = await harness.start();
    await harness.clock.advance(minute);
    expect((await told(harness, engine)).map(({ name }) => name)).toEqual(['kept']);
    expect(engine.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: expect.stringContaining('ConfigMap reroll/reroll-history-1 holds no part'), fields: { problem } },
    ]);
    expect(stored(harness).get('reroll-history-1')).toBe('');
  });

  it('takes in what another replica has written meanwhile', async () => {
    const [harness, engine] = await restartedOnce();
    const [[name = '', text = ''] = []] = stored(harness);
    const other = entryLine({ id: '22222222', name: 'other' });
    await harness.patchSource('ConfigMap', name, { data: { restarts: text + other } }, 'reroll');
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(minute);
    expect((await told(harness, engine)).map((entry) => entry.name)).toEqual(['web', 'web', 'other']);
    expect(stored(harness).get(name)).toContain('22222222');
    expect(
      stored(harness)
        .get(name)
        ?.match(/"kind":"Deployment"/g),
    ).toHaveLength(3);
  });

  it('is in memory without the right to keep it, says so once, and is kept when the right is granted', async () => {
    const harness = rollingCluster();
    const rights = [readAll, ownRights, rule('apps', 'deployments', '*'), rule('', 'events', '*')];
    harness.server.rbac.restrict(engineUser, rights);
    const engine = await harness.start();
    await harness.edit('ConfigMap', 'app', blue);
    await harness.clock.advance(30 * minute);
    expect(await told(harness, engine)).toMatchObject([{ name: 'web', outcome: 'healthy' }]);
    expect(engine.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      {
        message: expect.stringContaining('missing permission to keep the history of restarts'),
        fields: { error: expect.stringContaining('grant Reroll\'s service account the verb "create"') },
      },
    ]);
    expect(stored(harness).size).toBe(0);
    harness.server.rbac.restrict(engineUser, [...rights, rule('', 'configmaps', '*', ['reroll'])]);
    await harness.clock.advance(11 * minute);
    expect([...stored(harness).values()].join('')).toContain('"name":"web"');
  });

  it('is in memory alone with --history=false', async () => {
    const [harness, engine] = await restartedOnce({ history: false });
    expect(await told(harness, engine)).toMatchObject([{ name: 'web', outcome: 'healthy' }]);
    const requests = harness.server
      .requests()
      .filter(({ user, path }) => user === engineUser && path.includes('history'));
    expect(requests).toEqual([]);
  });

  it('is no change itself: nothing is logged of it, and no workload restarts for it, whatever it asks for', async () => {
    const harness = rollingCluster();
    const all = { 'configmap.reloader.stakater.com/reload': '.*' };
    harness.seed(deployment({ name: 'all', namespace: 'reroll', annotations: all }));
    // Each start looks at every workload, and finds what the one before has written.
    for (const color of ['blue', 'green', 'black', 'white']) {
      const engine = await harness.start();
      await harness.clock.advance(minute);
      await harness.edit('ConfigMap', 'app', { color });
      await harness.clock.advance(minute);
      expect(engine.lines.filter(({ message }) => message.includes('reroll-history'))).toEqual([]);
      await engine.stop();
    }
    expect(stored(harness).size).toBe(1);
    expect(harness.restarts('Deployment', 'web')).toBe(4);
    expect(harness.restarts('Deployment', 'all', 'reroll')).toBe(0);
  });

  it('holds no value of a source and no digest', async () => {
    const harness = rollingCluster();
    harness.seed(
      secret({ name: 'db', data: { password: 'hunter2' } }),
      deployment({ name: 'api', annotations: uses.annotations, envFrom: [{ secretRef: { name: 'db' } }] }),
    );
    const engine = await harness.start();
    await harness.edit('Secret', 'db', { password: 'hunter3' });
    await harness.clock.advance(minute);
    const text = [...stored(harness).values()].join('');
    expect(text).toContain('"keys":["password"]');
    const { metadata } = await harness.get('Deployment', 'api');
    const baseline = metadata.annotations?.['reroll.dev/baseline'] ?? '';
    const digests = baseline.match(/[\w-]{22}(?=")/g) ?? [];
    expect(digests.length).toBeGreaterThan(0);
    for (const hidden of ['hunter', 'aHVudGVy', ...digests]) {
      expect(text).not.toContain(hidden);
      expect(JSON.stringify(engine.lines)).not.toContain(hidden);
    }
  });
});

describe('/v1/history', () => {
  it('is a page of what is asked for, newest first', async () => {
    const harness = rollingCluster();
    harness.leaseTimings = handoverLease;
    const restarts = Array.from({ length: 5 }, (_, index) =>
      entryLine({
        ...{ id: `0000000${index}`, at: `2025-12-31T0${index}:00:00.000Z`, name: index === 3 ? 'api' : 'web' },
        ...(index === 4 && { namespace: 'pay', kind: 'StatefulSet' }),
      }),
    ).join('');
    harness.seed(configMap({ name: 'reroll-history-0', namespace: 'reroll', data: { restarts } }));
    const engine = await harness.start();
    const ids = (query: string): readonly string[] => pageOf(engine, query).entries.map(({ id }) => id.slice(-1));
    expect(ids('')).toEqual(['4', '3', '2', '1', '0']);
    expect(ids('?namespace=shop')).toEqual(['3', '2', '1', '0']);
    expect(ids('?kind=statefulset')).toEqual(['4']);
    expect(ids('?kind=Deployment&name=api&namespace=shop')).toEqual(['3']);
    expect(ids('?since=2025-12-31T03:00:00%2B01:00')).toEqual(['4', '3', '2']);
    const first = pageOf(engine, '?limit=2');
    expect(first.entries.map(({ id }) => id.slice(-1))).toEqual(['4', '3']);
    expect(ids(`?limit=2&continue=${first.continue ?? ''}`)).toEqual(['2', '1']);
    expect(pageOf(engine, '?limit=5').continue).toBeUndefined();
    expect(pageOf(engine).keptSince).toBeUndefined();
  });
});
