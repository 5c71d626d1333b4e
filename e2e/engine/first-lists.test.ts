import { expect, it } from '@jest/globals';
import { FakePostTransport } from '../../shared/outbound/post.fixture';
import type { FaultTarget } from '../apiserver/faults';
import { configMap, deployment, fromConfigMap, fromSecret, secret } from '../apiserver/cluster';
import { Harness } from './harness';
import { auto } from './rights.fixture';

it.each([
  ['restarts workloads', undefined],
  ['calls a webhook', new FakePostTransport()],
])('an engine that %s reports that its first lists are complete, and not before', async (_what, webhook) => {
  const harness = new Harness();
  harness.seed(configMap({ name: 'app', data: { color: 'red' } }));
  const isSecrets = ({ pathname }: FaultTarget): boolean => pathname === '/api/v1/secrets';
  const end = harness.faults.add({ match: isSecrets, fault: { kind: 'status', code: 500 } });
  let listed = 0;
  await harness.start({}, undefined, { webhook, onListed: () => listed++ });
  expect(listed).toBe(0);
  end();
  await harness.clock.advance(30_000);
  expect(listed).toBeGreaterThan(0);
});

it('a list that is refused for some seconds, as while roles are replaced, makes no two restarts of one for what changed meanwhile', async () => {
  const harness = new Harness();
  harness.seed(
    configMap({ name: 'app', data: { color: 'red' } }),
    secret({ name: 'db', data: { password: 'a' } }),
    deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app'), fromSecret('db')] }),
  );
  await (await harness.start()).stop();
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.edit('Secret', 'db', { password: 'b' });
  const isSecrets = ({ pathname }: FaultTarget): boolean => pathname === '/api/v1/secrets';
  harness.faults.add({ match: isSecrets, times: 2, fault: { kind: 'status', code: 403 } });
  await harness.start();
  await harness.clock.advance(60_000);
  expect(harness.restarts('Deployment', 'web')).toBe(1);
});
