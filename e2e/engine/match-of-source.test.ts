import { describe, expect, it } from '@jest/globals';
import { configMap, deployment, fromConfigMap, job } from '../apiserver/cluster';
import { Harness } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const search = { 'reloader.stakater.com/search': 'true' };
const app = configMap({ name: 'app', data: { color: 'red' } });
const envFrom = [fromConfigMap('app')];

async function match(harness: Harness): Promise<void> {
  const annotations = { 'reloader.stakater.com/match': 'true' };
  await harness.clock.advance(5_000);
  await harness.patchSource('ConfigMap', 'app', { metadata: { annotations } });
  await harness.clock.advance(5_000);
}

/** Restarts of a workload whose baseline is recorded only after its source changed and then came to match. */
async function restarts(annotations: Readonly<Record<string, string>>): Promise<number> {
  const harness = new Harness();
  harness.seed(app, deployment({ name: 'web', annotations, envFrom }));
  const end = harness.faults.add({ match: ({ method }) => method === 'PATCH', fault: { kind: 'status', code: 500 } });
  await harness.start();
  await harness.clock.advance(60_000);
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await match(harness);
  end();
  await harness.clock.advance(120_000);
  return harness.restarts('Deployment', 'web');
}

describe('a source that gains the match annotation', () => {
  it('still restarts a workload without search for an earlier change', async () => {
    expect(await restarts(auto)).toBe(1);
  });

  it('restarts no workload with search for an earlier change', async () => {
    expect(await restarts(search)).toBe(0);
  });

  it('still restarts a workload with search and auto for an earlier change', async () => {
    expect(await restarts({ ...search, ...auto })).toBe(1);
  });

  it('still restarts a Job that was recreated before for an earlier change', async () => {
    const harness = new Harness();
    harness.seed(app, job({ name: 'migrate', annotations: { ...auto, 'reroll.dev/settle': '20s' }, envFrom }));
    await harness.start();
    await harness.clock.advance(60_000);
    for (const color of ['blue', 'green']) {
      await harness.edit('ConfigMap', 'app', { color });
      if (color === 'green') await match(harness);
      await harness.clock.advance(60_000);
    }
    const created = harness.server.history().filter(({ kind, type }) => kind.kind === 'Job' && type === 'ADDED');
    expect(created).toHaveLength(3);
  });
});
