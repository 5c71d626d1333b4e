import { describe, expect, it } from '@jest/globals';
import { configMap, deployment, envFromKey, fromConfigMap } from '../apiserver/cluster';
import { Harness } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const web = deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] });
const app = configMap({ name: 'app', data: { color: 'red' } });

/** Delays the engine's watch of one resource, so that its other watches are ahead. */
function lag(harness: Harness, resource: string, lagMs: number): void {
  harness.faults.add({
    match: ({ isWatch, pathname }) => isWatch && pathname.endsWith(`/${resource}`),
    fault: { kind: 'lag', lagMs },
  });
}

describe('a workload created moments before its source changes', () => {
  it.each([
    ['both watches are on time', 0, 0],
    ['the watch of workloads is behind', 5_000, 0],
    ['the watch of sources is behind', 0, 5_000],
  ])('is restarted when %s', async (_when, workloadLagMs, sourceLagMs) => {
    const harness = new Harness();
    harness.seed(app);
    if (workloadLagMs > 0) lag(harness, 'deployments', workloadLagMs);
    if (sourceLagMs > 0) lag(harness, 'configmaps', sourceLagMs);
    await harness.start();
    await harness.clock.advance(20_000);
    harness.seed(web);
    await harness.clock.advance(1_200);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('is restarted also within the same second', async () => {
    const harness = new Harness();
    harness.seed(app);
    lag(harness, 'deployments', 3_000);
    await harness.start();
    await harness.clock.advance(20_000);
    harness.seed(web);
    await harness.clock.advance(20);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('is restarted if the engine was killed in between', async () => {
    const harness = new Harness();
    harness.seed(app);
    const first = await harness.start();
    await harness.clock.advance(60_000);
    harness.seed(web);
    await harness.clock.advance(100);
    first.kill();
    await harness.clock.advance(2_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(600_000);
    await harness.start();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('is restarted if both happened while the engine was away', async () => {
    const harness = new Harness();
    harness.seed(app);
    await (await harness.start()).stop();
    await harness.clock.advance(600_000);
    harness.seed(web);
    await harness.clock.advance(5_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(600_000);
    await harness.start();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('a workload that could not be adopted yet', () => {
  it('is still compared with what it was born with, though its policy is edited after its source changed', async () => {
    const harness = new Harness();
    harness.seed(app);
    await harness.start();
    await harness.clock.advance(60_000);
    const end = harness.faults.add({ match: ({ method }) => method === 'PATCH', fault: { kind: 'status', code: 500 } });
    harness.seed(web);
    await harness.clock.advance(10_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(10_000);
    const annotations = { 'configmap.reloader.stakater.com/reload': 'extra' };
    await harness.patch('Deployment', 'web', { metadata: { annotations } });
    await harness.clock.advance(10_000);
    end();
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});

describe('a workload born with its sources as they are', () => {
  it('is not restarted when its source changed before', async () => {
    const harness = new Harness();
    harness.seed(app);
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(2_000);
    harness.seed(web);
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('is not restarted when both were created together', async () => {
    const harness = new Harness();
    await harness.start();
    await harness.clock.advance(20_000);
    harness.seed(app, web);
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('is not restarted when it was created long before us and its source changed since', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    await harness.clock.advance(86_400_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(86_400_000);
    await harness.start();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('is not restarted when it is opted in by a setting of ours at a later start', async () => {
    const harness = new Harness();
    harness.seed(app, deployment({ name: 'quiet', envFrom: [fromConfigMap('app')] }));
    await harness.clock.advance(600_000);
    const first = await harness.start();
    await harness.clock.advance(600_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    await first.stop();
    await harness.start({ policy: { autoReloadAll: true, ignoredWorkloadKinds: [] } });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'quiet')).toBe(0);
  });
});

describe('a workload that is edited', () => {
  it('to opt in is adopted, whatever its sources did before', async () => {
    const harness = new Harness();
    await harness.start();
    await harness.clock.advance(60_000);
    harness.seed(app, deployment({ name: 'web', envFrom: [fromConfigMap('app')] }));
    await harness.clock.advance(60_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    await harness.patch('Deployment', 'web', { metadata: { annotations: auto } });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('to use one more source is not restarted for what that source was before', async () => {
    const harness = new Harness();
    harness.seed(app, configMap({ name: 'more', data: { a: '1' } }), web);
    await harness.start();
    await harness.clock.advance(60_000);
    await harness.edit('ConfigMap', 'more', { a: '2' });
    await harness.clock.advance(60_000);
    await harness.patch('Deployment', 'web', {
      spec: {
        template: { spec: { containers: [{ name: 'app', envFrom: [fromConfigMap('app'), fromConfigMap('more')] }] } },
      },
    });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('to use one more source moments before that changes is restarted', async () => {
    const harness = new Harness();
    harness.seed(app, configMap({ name: 'more', data: { a: '1' } }), web);
    lag(harness, 'deployments', 5_000);
    await harness.start();
    await harness.clock.advance(60_000);
    await harness.patch('Deployment', 'web', {
      spec: {
        template: { spec: { containers: [{ name: 'app', envFrom: [fromConfigMap('app'), fromConfigMap('more')] }] } },
      },
    });
    await harness.clock.advance(1_200);
    await harness.edit('ConfigMap', 'more', { a: '2' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('to drop a source and use it again later is not restarted for what changed in between', async () => {
    const harness = new Harness();
    harness.seed(configMap({ name: 'app', data: { color: 'red', size: '1' } }));
    harness.seed(deployment({ name: 'web', annotations: auto, env: [envFromKey('ConfigMap', 'app', 'color')] }));
    await harness.start();
    const use = async (key: string): Promise<void> => {
      const env = [{ $patch: 'replace' }, envFromKey('ConfigMap', 'app', key)];
      await harness.patch('Deployment', 'web', {
        spec: { template: { spec: { containers: [{ name: 'app', env }] } } },
      });
      await harness.clock.advance(60_000);
    };
    await use('size');
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    await use('color');
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });
});

describe('annotations of a source', () => {
  it('that admit it to a search adopt it as it is', async () => {
    const harness = new Harness();
    harness.seed(
      app,
      deployment({
        name: 'web',
        annotations: { 'reloader.stakater.com/search': 'true' },
        envFrom: [fromConfigMap('app')],
      }),
    );
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    await harness.annotate('ConfigMap', 'app', { 'reloader.stakater.com/match': 'true' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});
