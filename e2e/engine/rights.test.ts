import { describe, expect, it } from '@jest/globals';
import { readinessChecks } from '../../reconciler/health';
import { configMap, deployment, fromConfigMap } from '../apiserver/cluster';
import { Harness } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const uses = { annotations: auto, envFrom: [fromConfigMap('app')] };

describe("§18.4 the rights of Reloader's role: workloads may be listed, and not watched", () => {
  /** Ready, after a minute. */
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

  it('restarts a workload that somebody wrote since the last list', async () => {
    const harness = await start();
    await harness.patch('Deployment', 'web', { spec: { replicas: 3 } });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('owes a change to a workload that came before it and after the last list', async () => {
    const harness = await start();
    harness.seed(deployment({ name: 'late', ...uses }));
    await harness.clock.advance(2_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'late')).toBe(1);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});
