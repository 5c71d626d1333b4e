import { describe, expect, it } from '@jest/globals';
import { configMap, deployment, envFromKey, fromConfigMap } from '../apiserver/cluster';
import { Harness } from '../engine/harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const app = configMap({ name: 'app', data: { color: 'red', size: 'small' } });

/** Bugs that a seed found, each as the smallest story that shows it. */
describe('a change is not missed', () => {
  it('though the workload was there before the first start and its adoption is put off by a server in trouble', async () => {
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

  it('though source and workload were made in one second and the watch of sources is behind', async () => {
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

  it('though the workload came to use all keys, and another key changed, while nobody watched', async () => {
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

describe('nothing is restarted without a reason', () => {
  it('when the last of several edits of one second is seen only after the workload was born', async () => {
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
    // The watch brings both edits now; the settle window holds the first look until then.
    const settle = { 'reroll.dev/settle': '3s' };
    await harness.clock.advance(950);
    harness.seed(deployment({ name: 'web', annotations: { ...auto, ...settle }, envFrom: [fromConfigMap('app')] }));
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });
});
