import { expect, it } from '@jest/globals';
import { unlimited } from '../../shared/domain/gate-settings/pace-settings';
import { configMap, deployment, fromConfigMap } from '../apiserver/cluster';
import { Harness } from './harness';

const users = 60;

/** The API server accepts 256 KiB of annotations: names and values. */
const maxAnnotationBytes = 256 * 1024;

/**
 * Whoever fills the annotations of a workload up to the limit has each restart of it refused with 422. Each refusal lets
 * another user have its turn. The looks of those whose turn it was not must not begin their backoff anew: one write of the
 * source would cost a request for each pair of users, and for ever.
 */
it('users of one source whose restarts are refused cost requests in proportion to their number', async () => {
  const harness = new Harness();
  const names = Array.from({ length: users }, (_, index) => `web-${index}`);
  const uses = { annotations: { 'reloader.stakater.com/auto': 'true' }, envFrom: [fromConfigMap('app')] };
  harness.seed(
    configMap({ name: 'app', data: { color: 'red' } }),
    ...names.map((name) => deployment({ name, ...uses })),
  );
  const engine = await harness.start({ pace: unlimited });
  await harness.clock.advance(60_000);
  for (const name of names) {
    const { annotations = {} } = (await harness.get('Deployment', name)).metadata;
    const taken = Object.entries(annotations).flat().join('').length;
    const pad = 'x'.repeat(maxAnnotationBytes - taken - 'pad'.length);
    await harness.patch('Deployment', name, { metadata: { annotations: { pad } } });
  }
  await harness.clock.advance(60_000);
  harness.requestsSinceLast();
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(60_000);
  const patches = harness.requestsSinceLast().filter((request) => request === 'patch deployments.apps');
  expect(patches.length).toBeLessThan(users * 15);
  await engine.stop();
});
