import { expect, it } from '@jest/globals';
import { rolloutKind, rolloutOf } from '../apiserver/add-ons';
import { configMap, deployment, fromConfigMap } from '../apiserver/cluster';
import type { FaultTarget } from '../apiserver/faults';
import { engineUser, Harness, usualLease } from './harness';
import { rule } from './rights.fixture';

const auto = { 'reloader.stakater.com/auto': 'true' };
const app = configMap({ name: 'app', data: { color: 'red' } });
const extra = configMap({ name: 'extra', data: { color: 'red' } });
const uses = (...names: string[]) =>
  deployment({ name: 'web', annotations: auto, envFrom: names.map((name) => fromConfigMap(name)) });

it('an answer that comes after a restore of etcd does not revert what was listed since', async () => {
  const harness = new Harness();
  harness.leaseTimings = usualLease;
  harness.seed(extra);
  await harness.clock.advance(60_000);
  harness.faults.add({
    match: ({ isWatch, pathname, query }) =>
      isWatch && pathname === '/api/v1/configmaps' && !query.has('sendInitialEvents'),
    fault: { kind: 'lag', lagMs: 5_000 },
  });
  await harness.start();
  await harness.clock.advance(10_000);
  harness.seed(uses('extra'));
  const isRead = ({ query }: FaultTarget): boolean => query.get('fieldSelector') === 'metadata.name=extra';
  harness.faults.add({ match: isRead, times: 1, fault: { kind: 'lag', lagMs: 9_000 } });
  const backup = harness.server.store.revision;
  harness.server.store.passOver(10_000);
  await harness.edit('ConfigMap', 'extra', { color: 'blue' });
  await harness.clock.advance(2_000);
  harness.server.restore(backup);
  await harness.clock.advance(60_000);
  const before = harness.restarts('Deployment', 'web');
  // Its version is lower than that of the answer. If the index had taken that, this edit would seem to be an old one.
  await harness.edit('ConfigMap', 'extra', { color: 'green' });
  await harness.clock.advance(60_000);
  expect(harness.restarts('Deployment', 'web') - before).toBe(1);
});

it('a source that was listed and never read, and whose kind may only be read by name since, restarts its users once', async () => {
  const harness = new Harness();
  harness.leaseTimings = usualLease;
  harness.seed(app, extra);
  const engine = await harness.start();
  await harness.clock.advance(10_000);
  harness.server.rbac.restrict(engineUser, [
    { apiGroups: ['apps', 'batch', 'coordination.k8s.io', 'authorization.k8s.io'], resources: ['*'], verbs: ['*'] },
    rule('', 'events pods namespaces secrets', 'get list watch create patch'),
    { ...rule('', 'configmaps', 'get'), resourceNames: ['extra', 'app'] },
    { ...rule('', 'configmaps', 'get list watch'), namespaces: ['reroll'] },
  ]);
  // The term ends, and in the next one all is listed again.
  const isCut = harness.faults.add({
    match: ({ pathname }) => pathname.includes('/leases'),
    fault: { kind: 'status', code: 503 },
  });
  await harness.clock.advance(20_000);
  isCut();
  await harness.clock.advance(60_000);
  expect(engine.reconciler.status.state).toBe('acting');
  harness.seed(uses('extra', 'app'));
  await harness.clock.advance(2_000);
  await harness.edit('ConfigMap', 'extra', { color: 'blue' });
  await harness.clock.advance(120_000);
  expect(harness.restarts('Deployment', 'web')).toBe(1);
  await harness.edit('ConfigMap', 'app', { color: 'green' });
  await harness.clock.advance(1_320_000);
  expect(harness.restarts('Deployment', 'web')).toBe(2);
});

it('a Deployment that is deleted while it is read for a Rollout does not come back with the answer', async () => {
  const harness = new Harness({ customKinds: [rolloutKind] });
  harness.seed(app, deployment({ name: 'web', envFrom: [fromConfigMap('app')] }));
  await harness.start();
  const isRead = ({ pathname }: FaultTarget): boolean =>
    pathname === '/apis/apps/v1/namespaces/default/deployments/web';
  harness.faults.add({ match: isRead, times: 1, fault: { kind: 'lag', lagMs: 5_000 } });
  harness.seed(rolloutOf('web-ro', { ...auto, 'reloader.stakater.com/rollout-strategy': 'restart' }));
  await harness.clock.advance(1_000);
  await harness.delete('Deployment', 'web');
  await harness.clock.advance(60_000);
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(60_000);
  // Nothing uses the ConfigMap any more.
  expect(harness.writesOf('Rollout', 'web-ro').filter(({ user }) => user === 'reroll')).toEqual([]);
});
