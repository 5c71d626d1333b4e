import { expect, it } from '@jest/globals';
import { FakePostTransport } from '../../shared/outbound/post.fixture';
import type { FaultTarget } from '../apiserver/faults';
import { configMap } from '../apiserver/cluster';
import { Harness } from './harness';

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
