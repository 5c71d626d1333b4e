import { describe, expect, it } from '@jest/globals';
import {
  configMap,
  cronJob,
  deployment,
  envFromKey,
  fromConfigMap,
  fromSecret,
  job,
  secret,
} from '../apiserver/cluster';
import type { FaultTarget } from '../apiserver/faults';
import { Harness } from '../engine/harness';

const auto = { 'reloader.stakater.com/auto': 'true' };

const app = configMap({ name: 'app', data: { color: 'red', size: 'small' } });

/**
 * Fails new lists and watches of the resource until the returned function is called. That function also compacts the
 * history, so that the reflector must list again.
 */
function outage(harness: Harness, plural: string): () => void {
  const end = harness.faults.add({
    match: ({ pathname }) => pathname.endsWith(`/${plural}`),
    fault: { kind: 'status', code: 503 },
  });
  return () => {
    harness.server.compact();
    end();
  };
}

/** Bugs that the simulation found, each with the fewest steps that show it. */
describe('a change is not missed', () => {
  it('if the workload is older than the install and the server fails the write of its first baseline', async () => {
    const harness = new Harness();
    harness.seed(app, deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] }));
    await harness.clock.advance(600_000);
    const end = harness.faults.add({ match: ({ method }) => method === 'PATCH', fault: { kind: 'status', code: 500 } });
    await harness.start();
    await harness.clock.advance(20_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    end();
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('if source and workload are created in one second and the watch of sources is behind', async () => {
    const harness = new Harness();
    harness.faults.add({
      match: ({ isWatch, pathname }) => isWatch && pathname.endsWith('/configmaps'),
      fault: { kind: 'lag', lagMs: 5_000 },
    });
    await harness.start();
    await harness.clock.advance(20_000);
    harness.seed(app, deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app', true)] }));
    await harness.clock.advance(100);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('if the workload starts to use all keys and another key changes while no process watches', async () => {
    const harness = new Harness();
    harness.seed(app, deployment({ name: 'web', annotations: auto, env: [envFromKey('ConfigMap', 'app', 'color')] }));
    await (await harness.start()).stop();
    await harness.clock.advance(60_000);
    const containers = [{ name: 'app', envFrom: [fromConfigMap('app')] }];
    await harness.patch('Deployment', 'web', { spec: { template: { spec: { containers } } } });
    await harness.clock.advance(5_000);
    await harness.edit('ConfigMap', 'app', { size: 'large' });
    await harness.clock.advance(60_000);
    await harness.start();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('a change after the workload started to use the source is not missed', () => {
  const extra = configMap({ name: 'extra', data: { color: 'red' } });
  const web = deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] });

  /** The workload starts to use `extra`, which then changes. Another write to the workload is later than both. */
  async function useExtra(harness: Harness): Promise<void> {
    const containers = [{ name: 'app', envFrom: [fromConfigMap('app'), fromConfigMap('extra')] }];
    await harness.patch('Deployment', 'web', { spec: { template: { spec: { containers } } } });
    await harness.clock.advance(5_000);
    await harness.edit('ConfigMap', 'extra', { color: 'blue' });
    await harness.clock.advance(5_000);
    await harness.patch('Deployment', 'web', { spec: { replicas: 3 } });
    await harness.clock.advance(5_000);
  }

  it('if another write to the workload follows, all while no process watches', async () => {
    const harness = new Harness();
    harness.seed(app, extra, web);
    await (await harness.start()).stop();
    await useExtra(harness);
    await harness.start();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('if another write to the workload follows before a list shows it', async () => {
    const harness = new Harness();
    harness.seed(app, extra, web);
    await harness.start();
    const end = outage(harness, 'deployments');
    await harness.clock.advance(600_000);
    await useExtra(harness);
    end();
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it.each([
    ['a label', async (harness: Harness) => await harness.label('ConfigMap', 'app', { team: 'a' })],
    ['another key', async (harness: Harness) => await harness.edit('ConfigMap', 'app', { color: 'blue' })],
  ])('if the change removes a key, and a list shows it together with an earlier change of %s', async (_what, edit) => {
    const harness = new Harness();
    harness.seed(app);
    await harness.start();
    const ends = [outage(harness, 'configmaps'), outage(harness, 'deployments')];
    await harness.clock.advance(600_000);
    await edit(harness);
    await harness.clock.advance(5_000);
    harness.seed(web);
    await harness.clock.advance(5_000);
    await harness.edit('ConfigMap', 'app', { size: null });
    for (const end of ends) {
      end();
      await harness.clock.advance(60_000);
    }
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('a baseline', () => {
  it('is written again if somebody removes it before the answer to its write arrives', async () => {
    const harness = new Harness({ watchList: 'rejected' });
    harness.seed(app, deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] }));
    harness.faults.add({ match: ({ method }) => method === 'PATCH', fault: { kind: 'lag', lagMs: 5_000 }, times: 1 });
    // The watch shows neither that write nor what follows, but a list does.
    harness.faults.add({
      match: ({ isWatch, pathname, query }) =>
        isWatch && pathname.endsWith('/deployments') && !query.has('sendInitialEvents'),
      fault: { kind: 'error-event', code: 410, atEvent: 0 },
      times: 1,
    });
    harness.launch();
    await harness.clock.advance(100);
    expect(harness.writesOf('Deployment', 'web')).toHaveLength(2);
    await harness.patch('Deployment', 'web', { metadata: { annotations: { 'reroll.dev/baseline': null } } });
    await harness.clock.advance(60_000);
    const { metadata } = await harness.get('Deployment', 'web');
    expect(metadata.annotations).toHaveProperty(['reroll.dev/baseline']);
  });
});

describe('a change after the creation of a source is not missed', () => {
  it('if the source is recreated and edited before a list shows it', async () => {
    const harness = new Harness();
    harness.seed(app);
    await harness.start();
    await harness.clock.advance(20_000);
    await harness.delete('ConfigMap', 'app');
    await harness.clock.advance(20_000);
    const end = harness.faults.add({
      match: ({ pathname }) => pathname.endsWith('/configmaps'),
      fault: { kind: 'status', code: 503 },
    });
    harness.server.compact();
    await harness.clock.advance(600_000);
    harness.seed(app, deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app', true)] }));
    await harness.clock.advance(5_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    end();
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('a change of a source that was recorded as absent is not missed', () => {
  it('if the source is created and edited while no process watches', async () => {
    const harness = new Harness();
    harness.seed(deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app', true)] }));
    await (await harness.start()).stop();
    harness.seed(app);
    await harness.clock.advance(5_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    await harness.start();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('a process that acquires the Lease late', () => {
  const leases = ({ method, pathname }: FaultTarget): boolean => method !== 'GET' && pathname.includes('/leases');

  it('does not restart a workload that was created after the change, while the process stood by', async () => {
    const harness = new Harness();
    harness.seed(app);
    const end = harness.faults.add({ match: leases, fault: { kind: 'status', code: 409 } });
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(30_000);
    harness.seed(deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] }));
    await harness.clock.advance(30_000);
    end();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('restarts for a change before its start, even if it loses the Lease before it can list the sources', async () => {
    const harness = new Harness();
    harness.seed(app, deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] }));
    await harness.clock.advance(600_000);
    await (await harness.start()).stop();
    // Also sets a label, because a removal alone would leave no timestamp.
    const metadata = { annotations: { 'reroll.dev/baseline': null }, labels: { team: 'a' } };
    await harness.patch('Deployment', 'web', { metadata });
    await harness.clock.advance(2_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(90_000);
    const unreadable = harness.faults.add({
      match: ({ pathname }) => pathname.endsWith('/configmaps'),
      fault: { kind: 'status', code: 503 },
    });
    await harness.start();
    const unwritable = harness.faults.add({ match: leases, fault: { kind: 'status', code: 503 } });
    await harness.clock.advance(25_000);
    unwritable();
    await harness.clock.advance(10_000);
    unreadable();
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('a Job', () => {
  const created = (harness: Harness): number =>
    harness.server
      .history()
      .filter(({ kind, type, user }) => kind.kind === 'Job' && type === 'ADDED' && user === 'reroll').length;

  it('is recreated only once if one of its sources was created moments before the change', async () => {
    const harness = new Harness();
    const envFrom = [fromConfigMap('app'), fromSecret('db', true)];
    harness.seed(app, job({ name: 'migrate', annotations: auto, envFrom }));
    harness.faults.add({
      match: ({ isWatch, pathname }) => isWatch && pathname.endsWith('/secrets'),
      fault: { kind: 'lag', lagMs: 6_000 },
    });
    await harness.start();
    await harness.clock.advance(60_000);
    harness.seed(secret({ name: 'db', data: { token: 'a' } }));
    await harness.clock.advance(500);
    await harness.edit('Secret', 'db', { token: 'b' });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(created(harness)).toBe(1);
  });

  it('is recreated although the server once answers 404 for its journal entry', async () => {
    const harness = new Harness();
    harness.seed(app, job({ name: 'migrate', annotations: auto, envFrom: [fromConfigMap('app')] }));
    await harness.start();
    harness.faults.add({
      match: ({ method, pathname }) => method === 'GET' && pathname.includes('/secrets/reroll-job-'),
      fault: { kind: 'status', code: 404 },
      times: 1,
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(created(harness)).toBe(1);
  });
});

describe('a run of a CronJob', () => {
  it('is recorded later if the permission to patch the CronJob was missing during the run', async () => {
    const harness = new Harness();
    harness.seed(app, cronJob({ name: 'report', annotations: auto, envFrom: [fromConfigMap('app')] }));
    await harness.start();
    await harness.clock.advance(20_000);
    const end = harness.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.includes('/cronjobs/'),
      fault: { kind: 'status', code: 403 },
    });
    const recorded = () => harness.objects('CronJob')[0]?.metadata.annotations?.['reroll.dev/baseline'];
    const before = recorded();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(recorded()).toBe(before);
    end();
    await harness.clock.advance(11 * 60_000);
    expect(recorded()).not.toBe(before);
    expect(harness.server.history().filter(({ kind, type }) => kind.kind === 'Job' && type === 'ADDED')).toHaveLength(
      1,
    );
  });
});

describe('nothing is restarted without a reason', () => {
  it('if the last of several edits in one second is seen only after the creation of the workload', async () => {
    const harness = new Harness();
    harness.seed(app);
    harness.faults.add({
      match: ({ isWatch, pathname }) => isWatch && pathname.endsWith('/configmaps'),
      fault: { kind: 'lag', lagMs: 4_000 },
    });
    await harness.start();
    await harness.clock.advance(20_000);
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(100);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(3_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    // The watch delivers both edits now. The settle window delays the first look until then.
    const settle = { 'reroll.dev/settle': '3s' };
    await harness.clock.advance(950);
    harness.seed(deployment({ name: 'web', annotations: { ...auto, ...settle }, envFrom: [fromConfigMap('app')] }));
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('if a Job no longer asks for the source, and its watch is behind', async () => {
    const harness = new Harness();
    harness.seed(app, job({ name: 'migrate', annotations: auto, envFrom: [fromConfigMap('app')] }));
    await harness.start();
    await harness.clock.advance(20_000);
    harness.faults.add({
      match: ({ isWatch, pathname }) => isWatch && pathname.endsWith('/jobs'),
      fault: { kind: 'half-open', atEvent: 0 },
    });
    await harness.clock.advance(600_000);
    await harness.patch('Job', 'migrate', { metadata: { annotations: { 'reloader.stakater.com/auto': null } } });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(harness.server.history().filter(({ kind, type }) => kind.kind === 'Job' && type === 'DELETED')).toEqual([]);
  });
});
