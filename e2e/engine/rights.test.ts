import { describe, expect, it } from '@jest/globals';
import { readinessChecks } from '../../reconciler/process/health';
import { ownAnnotations } from '../../shared/domain/annotations/annotations';
import { configMap, deployment, fromConfigMap, fromSecret, secret, seedNamespace } from '../apiserver/cluster';
import type { PolicyRule } from '../apiserver/rbac';
import { engineUser, Harness, usualLease } from './harness';
import { auto, chartRules, rule, seeded, under, uses, warnings } from './rights.fixture';

const ofRights = /^missing permission/;

describe("§18.4 the permissions of Reloader's role: workloads may be listed, and not watched", () => {
  /** Starts an engine that may not watch workloads. It is ready after a minute. */
  async function start(): Promise<Harness> {
    const harness = new Harness();
    harness.seed(configMap({ name: 'app', data: { color: 'red' } }), deployment({ name: 'web', ...uses }));
    harness.faults.add({
      match: ({ isWatch, pathname }) => isWatch && pathname.includes('/apis/'),
      fault: { kind: 'status', code: 403 },
    });
    const engine = await harness.start();
    await harness.clock.advance(60_000);
    expect(readinessChecks(engine.reconciler).every(({ check }) => check().ok)).toBe(true);
    return harness;
  }

  it('restarts once for a change', async () => {
    const harness = await start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    await harness.clock.advance(300_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('restarts a workload that somebody wrote after the last list', async () => {
    const harness = await start();
    await harness.patch('Deployment', 'web', { spec: { replicas: 3 } });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('restarts a workload that was created after the last list and before the change', async () => {
    const harness = await start();
    harness.seed(deployment({ name: 'late', ...uses }));
    await harness.clock.advance(2_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'late')).toBe(1);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe("§18.4 Reloader's chart RBAC alone", () => {
  it('restarts every kind once for each change, and reports once what each missing permission costs', async () => {
    const [harness, engine] = await under(chartRules, seeded());
    for (const color of ['blue', 'green']) {
      await harness.edit('ConfigMap', 'app', { color });
      await harness.clock.advance(120_000);
    }
    expect(harness.restarts('Deployment', 'web')).toBe(2);
    expect(harness.restarts('StatefulSet', 'db')).toBe(2);
    expect(harness.writesOf('Job', 'migrate').filter(({ type }) => type === 'ADDED')).toHaveLength(3);
    const runs = harness.objects('Job').filter(({ metadata }) => metadata.name.startsWith('report-'));
    expect(runs).toHaveLength(2);
    expect(warnings(engine, ofRights).toSorted()).toEqual([
      expect.stringContaining('missing permission for the Lease: acting as if this were the only replica'),
      expect.stringContaining('missing permission for the digest key, so this process has one of its own'),
      expect.stringContaining('missing permission to keep a journal of Jobs'),
      expect.stringContaining('missing permission to keep the history of restarts in ConfigMaps'),
      expect.stringContaining('missing permission to list and watch namespaces: their annotations, such as'),
      expect.stringContaining('missing permission to patch cronjobs.batch: their baselines are kept in memory'),
      expect.stringContaining('missing permission to patch jobs.batch: their baselines are kept in memory'),
    ]);
    const key = engine.lines.find(({ message }) => message.startsWith('missing permission for the digest key'));
    expect(JSON.stringify(key?.fields)).toContain('kubectl -n reroll create secret generic reroll-digest-key');
  });

  it('is ready, and the probe names the missing permissions', async () => {
    const [, engine] = await under(chartRules, seeded());
    const checks = readinessChecks(engine.reconciler).map(({ check }) => check());
    expect(checks.every(({ ok }) => ok)).toBe(true);
    expect(checks[0]?.message).toBe(
      'in sync; acting as if alone, without a right to the Lease, with its own digest key, so changes made while it is down restart nothing',
    );
  });

  it('restarts nothing at its next start, and does not warn about each baseline of another key', async () => {
    const [harness, first] = await under(chartRules, seeded());
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    await first.stop();
    await harness.clock.advance(2_000);
    const [, second] = await under(chartRules, harness);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(harness.objects('Job').filter(({ metadata }) => metadata.name.startsWith('report-'))).toHaveLength(1);
    expect(warnings(second, /digest key/)).toHaveLength(1);
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(2);
  });

  it.each([
    ['stands by', 60_000],
    ['starts later', 0],
  ])('a process that %s and takes over with its own key repeats no restart', async (_what, standbyMs) => {
    const withLease = [...chartRules, rule('coordination.k8s.io', 'leases', 'get create update')];
    const harness = seeded();
    harness.leaseTimings = usualLease;
    const [, first] = await under(withLease, harness);
    if (standbyMs > 0) await under(withLease, harness, { identity: 'second' });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(5_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    // The Deployment controller does this for a new revision.
    await harness.patch('Deployment', 'web', {
      metadata: { annotations: { 'deployment.kubernetes.io/revision': '2' } },
    });
    first.kill();
    if (standbyMs === 0) await under(withLease, harness, { identity: 'second' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(2);
  });

  it('with the key created by hand, finds what changed while it was down', async () => {
    const harness = seeded();
    const key = secret({ name: 'reroll-digest-key', namespace: 'reroll', data: { key: 'k'.repeat(32) } });
    harness.seed(key);
    const [, first] = await under(chartRules, harness);
    await first.stop();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    const [, second] = await under(chartRules, harness);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(warnings(second, /digest key/)).toEqual([]);
  });

  it('writes the baselines of CronJobs once it has the permission', async () => {
    const [harness] = await under(chartRules, seeded());
    const baseline = async () =>
      (await harness.get('CronJob', 'report')).metadata.annotations?.[ownAnnotations.baseline];
    expect(await baseline()).toBeUndefined();
    harness.server.rbac.restrict(engineUser, [...chartRules, rule('batch', 'cronjobs', 'patch')]);
    await harness.clock.advance(11 * 60_000);
    expect(await baseline()).toBeDefined();
  });
});

describe('a missing permission for the Lease', () => {
  const leaseless = [...chartRules, rule('', 'secrets', 'create')];

  it('is a problem, and no process acts alone if the install has other replicas', async () => {
    const harness = seeded();
    harness.server.rbac.restrict(engineUser, leaseless);
    const engine = await harness.start({ replicated: true });
    await harness.clock.advance(300_000);
    const [check] = readinessChecks(engine.reconciler).map((each) => each.check());
    expect(check).toEqual({ ok: false, message: expect.stringMatching(/^lease: .*leases/) });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('does not make a process act alone that had the permission before', async () => {
    const harness = seeded();
    const engine = await harness.start();
    harness.server.rbac.restrict(engineUser, leaseless);
    await harness.clock.advance(300_000);
    expect(engine.reconciler.status.state).toBe('standby');
    expect(warnings(engine, /as if this were the only/)).toEqual([]);
  });

  it('is no longer missed once it is granted: a process that acted alone takes part in the election', async () => {
    const [harness, alone] = await under(leaseless, seeded());
    expect(alone.reconciler.status.remark).toContain('as if alone');
    harness.server.rbac.unrestrict(engineUser);
    await harness.clock.advance(10 * 60_000);
    expect(alone.reconciler.status).toMatchObject({ state: 'acting', remark: undefined });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('is checked rarely by a process that acts alone', async () => {
    const [harness] = await under(leaseless, seeded());
    const asked = () => harness.server.requests().filter(({ resource }) => resource.startsWith('leases')).length;
    const before = asked();
    await harness.clock.advance(60 * 60_000);
    const times = asked() - before;
    expect(times).toBeGreaterThanOrEqual(6);
    expect(times).toBeLessThanOrEqual(12);
  });

  it('lets two processes with one key act alone, and each change still restarts once', async () => {
    const harness = seeded();
    harness.leaseTimings = usualLease;
    harness.server.rbac.restrict(engineUser, leaseless);
    await harness.start({ identity: 'one' });
    await harness.start({ identity: 'two' });
    await harness.clock.advance(120_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('no permission at all', () => {
  it('keeps Reroll from being ready, and each missing permission is reported once', async () => {
    const [, engine] = await under([], seeded());
    const checks = readinessChecks(engine.reconciler).map(({ check }) => check());
    expect(checks.map(({ ok }) => ok)).toEqual([true, false]);
    const told = engine.lines.flatMap(({ level, message, fields }) =>
      level === 'warn' ? [[message, fields['resource'], fields['namespace']].join(' ').trimEnd()] : [],
    );
    expect(told.filter((line, index) => told.indexOf(line) !== index)).toEqual([]);
    expect(told).toContain(
      'missing permission to look for Jobs that were being recreated when another process ended: none of them is created',
    );
  });
});

describe('least privilege', () => {
  it('with --resources-to-ignore secrets and no permission for Secrets, Jobs are recreated too', async () => {
    const rules = [...chartRules.slice(1), rule('', 'configmaps', 'list get watch')];
    const [harness, engine] = await under(rules, seeded(), { ignoredSourceKind: 'Secret' });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(harness.writesOf('Job', 'migrate').filter(({ type }) => type === 'ADDED')).toHaveLength(2);
    expect(warnings(engine, /missing permission to look for Jobs/)).toHaveLength(1);
  });

  describe('with Roles in two namespaces', () => {
    const namespaces = ['shop', 'pay'];

    /** What the Roles in these two, and in the namespace of the release, allow. */
    const rolesIn = (bound: readonly string[]): readonly PolicyRule[] => [
      ...chartRules.map((each) => ({ ...each, namespaces: bound })),
      rule('apps', 'deployments daemonsets statefulsets', 'watch', bound),
      rule('batch', 'cronjobs jobs', 'watch patch', bound),
      rule('', 'secrets', 'get list create update delete', ['reroll']),
      rule('', 'configmaps', 'get create update', ['reroll']),
      { ...rule('', 'configmaps', 'list watch', ['reroll']), resourceNames: ['reroll-hold'] },
      rule('coordination.k8s.io', 'leases', 'get create update', ['reroll']),
    ];

    function withThree(): Harness {
      const harness = new Harness();
      for (const namespace of [...namespaces, 'other']) {
        seedNamespace(harness.server, namespace);
        harness.seed(
          configMap({ name: 'app', namespace, data: { color: 'red' } }),
          secret({ name: 'db', namespace, data: { password: 'a' } }),
          deployment({ name: 'web', namespace, annotations: auto, envFrom: [fromConfigMap('app'), fromSecret('db')] }),
        );
      }
      return harness;
    }

    const restarts = (harness: Harness): readonly number[] =>
      [...namespaces, 'other'].map((namespace) => harness.restarts('Deployment', 'web', namespace));

    it('needs no ClusterRole', async () => {
      const [harness, engine] = await under(rolesIn(namespaces), withThree(), { namespaces });
      for (const namespace of [...namespaces, 'other'])
        await harness.edit('Secret', 'db', { password: 'b' }, namespace);
      await harness.clock.advance(60_000);
      expect(restarts(harness)).toEqual([1, 1, 0]);
      const refused = harness.server.requests().filter(({ user, code }) => user === engineUser && code === 403);
      expect(refused).toEqual([]);
      expect(warnings(engine, /./)).toEqual([]);
    });

    it('restarts in one of them while the other Role is missing, and there once it is granted', async () => {
      const before = withThree();
      await (await before.start({ namespaces })).stop();
      const [harness] = await under(rolesIn(['shop']), before, { namespaces });
      for (const namespace of namespaces) await harness.edit('Secret', 'db', { password: 'b' }, namespace);
      await harness.clock.advance(20_000);
      expect(restarts(harness)).toEqual([1, 0, 0]);
      harness.server.rbac.restrict(engineUser, rolesIn(namespaces));
      await harness.clock.advance(120_000);
      expect(restarts(harness)).toEqual([1, 1, 0]);
    });
  });
});

describe('Secrets that may be read by name and not listed', () => {
  const named = (...resourceNames: readonly string[]): PolicyRule => ({ ...rule('', 'secrets', 'get'), resourceNames });
  const withoutSecrets = [
    ...chartRules.slice(1),
    rule('', 'configmaps', 'list get watch'),
    rule('', 'secrets', 'get list create update delete', ['reroll']),
    rule('coordination.k8s.io', 'leases', 'get create update', ['reroll']),
  ];
  const uses = [fromSecret('db'), fromSecret('closed'), fromConfigMap('app')];

  function withSecrets(): Harness {
    const harness = new Harness();
    harness.seed(
      configMap({ name: 'app', data: { color: 'red' } }),
      ...['db', 'closed'].map((name) => secret({ name, data: { password: 'a' } })),
      deployment({ name: 'web', annotations: auto, envFrom: uses }),
    );
    return harness;
  }

  it('restart the workloads that use them, once for each change', async () => {
    const [harness] = await under([...withoutSecrets, named('db')], withSecrets());
    for (const password of ['b', 'c']) {
      await harness.edit('Secret', 'db', { password });
      await harness.clock.advance(45_000);
    }
    expect(harness.restarts('Deployment', 'web')).toBe(2);
    await harness.clock.advance(300_000);
    expect(harness.restarts('Deployment', 'web')).toBe(2);
  });

  it('lead to one warning and no restart if one may not be read, and other sources work', async () => {
    const settings = { reloadOnDelete: true, reloadOnCreate: true };
    const rules = [...withoutSecrets, named('db')];
    const before = withSecrets();
    await (await before.start(settings)).stop();
    const [harness, engine] = await under(rules, before, settings);
    await harness.edit('Secret', 'closed', { password: 'b' });
    await harness.clock.advance(300_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    expect(warnings(engine, /missing permission to read/)).toEqual([expect.stringContaining('Secret default/closed')]);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('that changed while Reroll was down are found', async () => {
    const [harness, first] = await under([...withoutSecrets, named('db')], withSecrets());
    await first.stop();
    await harness.edit('Secret', 'db', { password: 'b' });
    await under([...withoutSecrets, named('db')], harness);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('are read again by a new leader, because what it has read may be old', async () => {
    const harness = withSecrets();
    harness.leaseTimings = usualLease;
    const [, first] = await under([...withoutSecrets, named('db')], harness);
    // Each engine reads every 30 s. When the Secret changes, the second has just read it and the first is about to.
    await harness.clock.advance(19_000);
    await harness.start({ identity: 'second' });
    await harness.edit('Secret', 'db', { password: 'b' });
    await harness.clock.advance(6_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    await first.stop();
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('are listed once the permission to list is granted', async () => {
    const [harness] = await under([...withoutSecrets, named('db')], withSecrets());
    harness.server.rbac.restrict(engineUser, [...withoutSecrets, rule('', 'secrets', 'get list watch')]);
    await harness.clock.advance(120_000);
    await harness.edit('Secret', 'closed', { password: 'b' });
    await harness.clock.advance(5_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    await harness.edit('Secret', 'db', { password: 'b' });
    await harness.clock.advance(5_000);
    expect(harness.restarts('Deployment', 'web')).toBe(2);
  });

  it('are not read by name if the list is allowed', async () => {
    const [harness] = await under([...chartRules, rule('', 'secrets', 'create')], withSecrets());
    const gets = harness.server.requests().filter(({ verb, name }) => verb === 'get' && name === 'db');
    expect(gets).toEqual([]);
  });
});
