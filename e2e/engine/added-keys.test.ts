import { expect, it } from '@jest/globals';
import { configMap, deployment, envFromKey } from '../apiserver/cluster';
import { Harness } from './harness';

const usesKey = (key: string) =>
  deployment({
    name: 'web',
    annotations: { 'reloader.stakater.com/auto': 'true' },
    env: [envFromKey('ConfigMap', 'app', key, 'VALUE')],
  });
const app = configMap({ name: 'app', data: { color: 'red', size: '1' } });

it.each([
  { what: 'is not restarted when that is created', reloadOnCreate: false, isEdited: false, restarts: 0 },
  {
    what: 'is restarted if that is edited just after its creation',
    reloadOnCreate: false,
    isEdited: true,
    restarts: 1,
  },
  { what: 'is restarted when that is created, if creations count', reloadOnCreate: true, isEdited: false, restarts: 1 },
])('a workload that comes to use another key of a deleted ConfigMap $what', async (row) => {
  const harness = new Harness();
  harness.seed(app, usesKey('color'));
  await harness.start({ settleMs: 3_000, reloadOnCreate: row.reloadOnCreate });
  await harness.clock.advance(20_000);
  await harness.delete('ConfigMap', 'app');
  await harness.clock.advance(20_000);
  await harness.patch('Deployment', 'web', { spec: usesKey('size')['spec'] });
  await harness.clock.advance(20_000);
  harness.seed(app);
  // The pods waited for the ConfigMap, and have started with its first content.
  await harness.clock.advance(1_500);
  if (row.isEdited) await harness.edit('ConfigMap', 'app', { size: '2' });
  await harness.clock.advance(60_000);
  expect(harness.restarts('Deployment', 'web')).toBe(row.restarts);
});
