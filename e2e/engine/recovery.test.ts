import { describe, expect, it } from '@jest/globals';
import { configMap, deployment, fromConfigMap, job } from '../apiserver/cluster';
import type { Fault, FaultTarget } from '../apiserver/faults';
import { Harness, type Engine, engineUser, handoverLease, usualLease } from './harness';
import { chartRules, rule } from './rights.fixture';
import { revertingHook, strippingHook } from './stripping.fixture';

const auto = { 'reloader.stakater.com/auto': 'true' };
const web = deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] });
const app = configMap({ name: 'app', data: { color: 'red' } });

async function adopted(leaseTimings = handoverLease): Promise<Harness> {
  const harness = new Harness();
  harness.leaseTimings = leaseTimings;
  harness.seed(app, web);
  return harness;
}

describe('changes made while no process watched', () => {
  it('lead to one restart, however many sources changed', async () => {
    const harness = new Harness();
    const names = ['a', 'b', 'c'];
    harness.seed(
      ...names.map((name) => configMap({ name, data: { x: '1' } })),
      deployment({ name: 'web', annotations: auto, envFrom: names.map((name) => fromConfigMap(name)) }),
    );
    await (await harness.start()).stop();
    for (const name of names) await harness.edit('ConfigMap', name, { x: '2' });
    await harness.start();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('lead to no restart if they are reverted', async () => {
    const harness = await adopted();
    await (await harness.start()).stop();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.edit('ConfigMap', 'app', { color: 'red' });
    await harness.start();
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });
});

describe('kill -9', () => {
  it.each([0, 1, 500, 990, 999, 1_000, 1_001, 1_010, 1_500])(
    'of the engine %i ms after a change loses no restart and repeats none',
    async (delayMs) => {
      const harness = await adopted();
      const first = await harness.start();
      await harness.edit('ConfigMap', 'app', { color: 'blue' });
      await harness.clock.advance(delayMs);
      first.kill();
      await harness.start();
      await harness.clock.advance(60_000);
      expect(harness.restarts('Deployment', 'web')).toBe(1);
    },
  );

  it('of the leader makes a pod with another name take over when the Lease expires', async () => {
    const harness = await adopted(usualLease);
    const first = await harness.start({ identity: 'reroll-0' });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    first.kill();
    const second = harness.launch({ identity: 'reroll-1' });
    await harness.clock.advance(10_000);
    expect(second.reconciler.status.state).toBe('standby');
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    await harness.clock.advance(20_000);
    expect(second.reconciler.status.state).toBe('acting');
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('a watch whose connection is half-open', () => {
  it('is reopened after 90 s, and a change made meanwhile restarts once', async () => {
    const harness = await adopted();
    const end = harness.faults.add({
      match: ({ isWatch, pathname, query }) =>
        isWatch && pathname.endsWith('/configmaps') && !query.has('sendInitialEvents'),
      fault: { kind: 'half-open', atEvent: 0 },
    });
    await harness.start();
    end();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(80_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    await harness.clock.advance(10_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    await harness.clock.advance(600_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('a restore of etcd', () => {
  /** Restores a backup, which undoes a change. The server's resourceVersions are then far behind the engine's. */
  async function restored(settings = {}): Promise<{ readonly harness: Harness; readonly engine: Engine }> {
    const harness = await adopted();
    const engine = await harness.start(settings);
    await harness.clock.advance(10_000);
    const backup = harness.server.store.revision;
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(900_000);
    harness.server.restore(backup);
    return { harness, engine };
  }

  it('is noticed by the Lease: undone changes restart nothing, and new changes restart within seconds', async () => {
    const { harness } = await restored();
    await harness.clock.advance(10_000);
    const before = harness.restarts('Deployment', 'web');
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(5_000);
    expect([before, harness.restarts('Deployment', 'web') - before]).toEqual([1, 1]);
    await harness.clock.advance(900_000);
    expect(harness.restarts('Deployment', 'web')).toBe(before + 1);
  });

  it('does not hide workloads that are created after it', async () => {
    const { harness } = await restored();
    await harness.clock.advance(10_000);
    harness.seed(deployment({ name: 'api', annotations: auto, envFrom: [fromConfigMap('app')] }));
    await harness.clock.advance(5_000);
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(5_000);
    expect(harness.restarts('Deployment', 'api')).toBe(1);
  });

  it('to the moment between deletion and recreation of a Job makes the same leader recreate the Job', async () => {
    const harness = new Harness();
    harness.leaseTimings = handoverLease;
    harness.seed(app, job({ name: 'migrate', annotations: auto, envFrom: [fromConfigMap('app')] }));
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    const isThere = (): boolean => harness.objects('Job').length > 0;
    for (let left = 500; left > 0 && isThere(); left--) await harness.clock.advance(10);
    const backup = harness.server.store.revision;
    await harness.clock.advance(900_000);
    expect(isThere()).toBe(true);
    harness.server.restore(backup);
    expect(isThere()).toBe(false);
    await harness.clock.advance(10_000);
    expect(isThere()).toBe(true);
  });

  it('that undid a restart is not mistaken for a removed baseline, even before the Lease is renewed', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    await harness.start();
    await harness.clock.advance(10_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    const backup = harness.server.store.revision;
    await harness.clock.advance(900_000);
    const newest = harness.server.store.revision;
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    harness.server.restore(backup);
    harness.server.store.passOver(newest);
    await harness.patch('Deployment', 'web', { metadata: { labels: { touched: 'yes' } } });
    await harness.clock.advance(15_000);
    expect(harness.restarts('Deployment', 'web')).toBe(2);
  });

  it('leaves no read at a resourceVersion that does not exist yet', async () => {
    const harness = await adopted();
    const isRead = ({ query }: FaultTarget): boolean => query.get('fieldSelector') === 'metadata.name=app';
    const readable = harness.faults.add({ match: isRead, fault: { kind: 'status', code: 503 } });
    await harness.start();
    const backup = harness.server.store.revision;
    harness.server.store.passOver(10_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(5_000);
    harness.server.restore(backup);
    await harness.clock.advance(5_000);
    readable();
    await harness.clock.advance(60_000);
    const before = harness.restarts('Deployment', 'web');
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web') - before).toBe(1);
  });

  it.each([
    ['by a refused write to a workload that is older than it was shown', false],
    ['by a list of older workloads, if the versions go on from a higher number', true],
  ])('that came before the first read of the Lease is noticed %s', async (_what, versionsGoOn) => {
    const harness = await adopted();
    const first = await harness.start();
    const backup = harness.server.store.revision;
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(900_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    await first.stop();
    const isLate = ({ pathname }: FaultTarget): boolean => /leases|configmaps/.test(pathname);
    const readable = harness.faults.add({ match: isLate, fault: { kind: 'status', code: 503 } });
    await harness.start();
    const newest = harness.server.store.revision;
    harness.server.restore(backup);
    if (versionsGoOn) {
      harness.server.store.passOver(newest + 1_000);
      harness.server.compact();
      await harness.clock.advance(60_000);
    }
    readable();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(5_000);
    expect(harness.restarts('Deployment', 'web')).toBe(2);
  });

  it('that undid a restart is noticed by the watches if there is no right to the Lease: the restart is owed', async () => {
    const harness = await adopted(usualLease);
    harness.server.rbac.restrict(engineUser, [...chartRules, rule('apps', 'deployments', 'watch')]);
    await harness.start();
    await harness.clock.advance(120_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    const backup = harness.server.store.revision;
    await harness.clock.advance(900_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    harness.server.restore(backup);
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(2);
  });

  it('that undid a restart whose baseline is only in memory leaves that restart owed', async () => {
    let reverts = false;
    const harness = new Harness({ admission: [revertingHook(['Deployment'], () => reverts)] });
    harness.leaseTimings = handoverLease;
    harness.seed(app, web);
    await harness.start();
    await harness.clock.advance(60_000);
    reverts = true;
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    const backup = harness.server.store.revision;
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    harness.server.restore(backup);
    reverts = false;
    await harness.clock.advance(1_200_000);
    expect(harness.restarts('Deployment', 'web')).toBe(2);
  });

  it.each<[string, Fault]>([
    ['had failed', { kind: 'status', code: 503 }],
    ['was under way', { kind: 'delay', delayMs: 25_000 }],
  ])('undoes a restart without its marker, too, and the write that took it back and %s', async (_what, fault) => {
    let strips = false;
    const hook = strippingHook('Deployment', () => (strips ? 'variables' : 'nothing'));
    const harness = new Harness({ admission: [hook] });
    harness.leaseTimings = usualLease;
    harness.seed(app, web);
    await harness.start();
    await harness.clock.advance(60_000);
    const backup = harness.server.store.revision;
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    strips = true;
    let patches = 0;
    const end = harness.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.endsWith('/deployments/web') && ++patches > 1,
      fault,
    });
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(3_000);
    strips = false;
    harness.server.restore(backup);
    end();
    const before = harness.restarts('Deployment', 'web');
    await harness.clock.advance(1_200_000);
    expect(patches).toBeGreaterThan(1);
    expect(harness.restarts('Deployment', 'web')).toBe(before);
  });

  it('is noticed by missing bookmarks if there is no Lease to read', async () => {
    const { harness, engine } = await restored({ dryRun: true });
    await harness.clock.advance(100_000);
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    const wouldRestart = (): number => engine.lines.filter(({ message }) => message.includes('would be')).length;
    const before = wouldRestart();
    await harness.clock.advance(5_000);
    expect(wouldRestart()).toBe(before + 1);
  });
});

describe('the answer to a PATCH', () => {
  it('that is lost after the write was stored causes no second restart', async () => {
    const harness = await adopted();
    await harness.start();
    harness.faults.add({
      match: ({ method }) => method === 'PATCH',
      times: 1,
      fault: { kind: 'reset', when: 'after' },
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('that is lost while the watch is behind causes no second restart', async () => {
    const harness = await adopted();
    harness.faults.add({
      match: ({ isWatch, pathname }) => isWatch && pathname.endsWith('/deployments'),
      fault: { kind: 'lag', lagMs: 5_000 },
    });
    await harness.start();
    await harness.clock.advance(10_000);
    harness.faults.add({
      match: ({ method }) => method === 'PATCH',
      times: 1,
      fault: { kind: 'reset', when: 'after' },
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it.each([
    [409, undefined],
    [429, 2],
    [500, undefined],
    [503, undefined],
    [404, undefined],
    [403, undefined],
    [401, undefined],
  ])('that is %i a few times delays the restart and does not lose it', async (code, retryAfterSeconds) => {
    const harness = await adopted();
    const engine = await harness.start();
    const fault = { kind: 'status', code, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) } as const;
    harness.faults.add({ match: ({ method }) => method === 'PATCH', times: 6, fault });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(300_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(await engine.metrics.registry.text()).toMatch(/reloader_retries_total [1-9]/);
  });

  it('with a Retry-After of a day delays the restart by two minutes at most', async () => {
    const harness = await adopted();
    await harness.start();
    const fault = { kind: 'status', code: 503, retryAfterSeconds: 86_400 } as const;
    harness.faults.add({ match: ({ method }) => method === 'PATCH', times: 1, fault });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(125_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('with a Retry-After of two minutes does not delay the restart for a later change', async () => {
    const harness = await adopted();
    await harness.start();
    const fault = { kind: 'status', code: 503, retryAfterSeconds: 120 } as const;
    harness.faults.add({ match: ({ method }) => method === 'PATCH', times: 1, fault });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(10_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(5_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('that is 403 for an hour leads to ever rarer retries and an Event, and then to the restart', async () => {
    const harness = await adopted();
    await harness.start();
    const end = harness.faults.add({ match: ({ method }) => method === 'PATCH', fault: { kind: 'status', code: 403 } });
    harness.requestsSinceLast();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(3_600_000);
    const events = harness.requestsSinceLast().filter((request) => request === 'create events');
    expect(events.length).toBeGreaterThan(0);
    // The same message makes at most one Event in five minutes.
    expect(events.length).toBeLessThan(14);
    end();
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('a workload that somebody else writes', () => {
  it('between plan and PATCH is planned again from its new state', async () => {
    const harness = await adopted();
    harness.faults.add({
      match: ({ isWatch, pathname }) => isWatch && pathname.endsWith('/deployments'),
      fault: { kind: 'lag', lagMs: 3_000 },
    });
    await harness.start();
    await harness.clock.advance(10_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(500);
    await harness.patch('Deployment', 'web', { spec: { replicas: 3 } });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect((await harness.get('Deployment', 'web'))['spec']).toMatchObject({ replicas: 3 });
  });

  it('without its baseline is not restarted, and the baseline is written again', async () => {
    const harness = await adopted();
    await harness.start();
    await harness.patch('Deployment', 'web', { metadata: { annotations: { 'reroll.dev/baseline': null } } });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    expect((await harness.get('Deployment', 'web')).metadata.annotations).toHaveProperty(['reroll.dev/baseline']);
  });

  it('without its baseline while a source changes is still restarted', async () => {
    const harness = await adopted();
    await harness.start();
    await harness.patch('Deployment', 'web', { metadata: { annotations: { 'reroll.dev/baseline': null } } });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('without its baseline again and again makes Reroll back off', async () => {
    const harness = await adopted();
    await harness.start();
    for (let n = 0; n < 200; n++) {
      await harness.patch('Deployment', 'web', { metadata: { annotations: { 'reroll.dev/baseline': null } } });
      await harness.clock.advance(6_000);
    }
    const written = harness.writesOf('Deployment', 'web').filter(({ user }) => user === 'reroll');
    expect(written.length).toBeLessThan(20);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('with an older baseline, as a rollback does, is not rolled out a second time', async () => {
    const harness = await adopted();
    await harness.start();
    const old = (await harness.get('Deployment', 'web')).metadata.annotations!['reroll.dev/baseline'];
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    await harness.patch('Deployment', 'web', {
      metadata: { annotations: { 'reroll.dev/baseline': old } },
      spec: { template: { metadata: { annotations: { rollback: 'yes' } } } },
    });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    const now = (await harness.get('Deployment', 'web')).metadata.annotations!['reroll.dev/baseline']!;
    expect(JSON.parse(now).n).toBeGreaterThan(2);
  });

  it('with an unreadable baseline is named in the log, adopted and not restarted', async () => {
    const harness = await adopted();
    harness.seed(
      deployment({
        name: 'odd',
        annotations: { ...auto, 'reroll.dev/baseline': '{"v":1,' },
        envFrom: [fromConfigMap('app')],
      }),
    );
    const engine = await harness.start();
    expect(harness.restarts('Deployment', 'odd')).toBe(0);
    expect(engine.lines.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/Deployment default\/odd: annotation reroll.dev\/baseline cannot be read: it is not JSON/),
    );
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'odd')).toBe(1);
  });
});

describe('a lost digest key', () => {
  it('makes every baseline unknown: all workloads are adopted again, and none is restarted', async () => {
    const harness = await adopted();
    await (await harness.start()).stop();
    await harness.deleteOwnSecret('reroll-digest-key');
    await harness.start();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('two reconcilers', () => {
  it('never both write, and the standby takes over at once when the leader stops', async () => {
    const harness = await adopted(usualLease);
    const first = await harness.start({ identity: 'reroll-0' });
    const second = await harness.start({ identity: 'reroll-1' });
    expect([first, second].map(({ reconciler }) => reconciler.status.state)).toEqual(['acting', 'standby']);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    await first.stop();
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(6_000);
    expect(second.reconciler.status.state).toBe('acting');
    expect(harness.restarts('Deployment', 'web')).toBe(2);
  });

  it('restart nothing when the standby takes over while its watch of sources hangs', async () => {
    const harness = await adopted();
    const first = await harness.start({ identity: 'reroll-0' });
    let hangs = false;
    harness.faults.add({
      match: ({ isWatch, pathname }) => isWatch && pathname.endsWith('/configmaps') && !hangs && (hangs = true),
      fault: { kind: 'half-open', atEvent: 2 },
    });
    const second = await harness.start({ identity: 'reroll-1' });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(2);
    await first.stop();
    await harness.clock.advance(30_000);
    expect(second.reconciler.status.state).toBe('acting');
    expect(harness.restarts('Deployment', 'web')).toBe(2);
  });
});
