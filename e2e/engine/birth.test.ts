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

  it('is restarted even if both happen within the same second', async () => {
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

  it('is restarted even if the engine is killed in between', async () => {
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

  it('is restarted even if both happen while the engine is down', async () => {
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

describe('a workload whose first baseline could not be written yet', () => {
  it('is still compared with the content at its creation, even if its policy is edited after its source changed', async () => {
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

describe('a workload is not restarted', () => {
  it('for a change of its source before its creation', async () => {
    const harness = new Harness();
    harness.seed(app);
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(2_000);
    harness.seed(web);
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('for the creation of its source at the same time', async () => {
    const harness = new Harness();
    await harness.start();
    await harness.clock.advance(20_000);
    harness.seed(app, web);
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('for a change of its source before the first start of Reroll', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    await harness.clock.advance(86_400_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(86_400_000);
    await harness.start();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('for a change of its source before a flag of Reroll opts it in', async () => {
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

  it('to use another source is not restarted for earlier changes of that source', async () => {
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

  it('to use another source moments before that source changes is restarted', async () => {
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

  it('to drop a source and use it again later is not restarted for changes in between', async () => {
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

describe('a source that gains the match annotation', () => {
  it('is adopted with its current content by a workload with search', async () => {
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
