import { expect, it } from '@jest/globals';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { parseSelector } from '../../shared/domain/kubernetes/selector';
import { patchObject } from '../../shared/kube/client/objects';
import { namespaces } from '../../shared/kube/resource';
import { rolloutKind, rolloutOf } from '../apiserver/add-ons';
import { configMap, deployment, fromConfigMap, namespace } from '../apiserver/cluster';
import type { FaultTarget } from '../apiserver/faults';
import { Harness, usualLease } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };

/** How the write is shown after which a change counts, and whether its object is written again after the change. */
const shown: readonly (readonly [string, boolean, boolean])[] = [
  ['is shown by the watch', false, true],
  ['is first shown by a new list', true, false],
  ['is first shown by a new list, after another write', true, true],
];

/** From now on, the watches of this path begin again with a list once the returned function was called. */
async function stopWatches(harness: Harness, path: string): Promise<() => void> {
  const end = harness.faults.add({
    match: ({ isWatch, pathname }) => isWatch && pathname.endsWith(path),
    fault: { kind: 'reset', when: 'before' },
  });
  harness.server.compact();
  await harness.clock.advance(700_000);
  return () => {
    harness.server.compact();
    end();
  };
}

it.each(shown)('a change after the label of a namespace restarts if the label %s', async (_how, byList, again) => {
  const harness = new Harness();
  harness.seed(
    namespace('shop', { labels: {} }),
    configMap({ name: 'app', namespace: 'shop', data: { color: 'red' } }),
    deployment({ name: 'web', namespace: 'shop', annotations: auto, envFrom: [fromConfigMap('app')] }),
  );
  const label = async (labels: Record<string, string>): Promise<unknown> =>
    await patchObject(harness.admin, namespaces, undefined, 'shop', { metadata: { labels } }, { type: 'merge' });
  await harness.clock.advance(3_600_000);
  await harness.start({ namespaceSelector: parseSelector('env=prod') });
  await harness.clock.advance(30_000);
  const listAgain = byList ? await stopWatches(harness, '/api/v1/namespaces') : undefined;
  await label({ env: 'prod' });
  await harness.clock.advance(10_000);
  await harness.edit('ConfigMap', 'app', { color: 'blue' }, 'shop');
  await harness.clock.advance(10_000);
  if (again) await label({ team: 'x' });
  await harness.clock.advance(5_000);
  listAgain?.();
  await harness.clock.advance(200_000);
  expect(harness.restarts('Deployment', 'web', 'shop')).toBe(1);
});

it.each(shown)(
  'a change of what a template has come to use restarts a Rollout in place if the template %s',
  async (_how, byList, again) => {
    const harness = new Harness({ customKinds: [rolloutKind] });
    harness.seed(
      configMap({ name: 'app', data: { color: 'red' } }),
      configMap({ name: 'next', data: { color: 'red' } }),
      deployment({ name: 'web', annotations: {}, envFrom: [fromConfigMap('app')], replicas: 0 }),
      rolloutOf('web-ro', { ...auto, 'reloader.stakater.com/rollout-strategy': 'restart' }),
    );
    await harness.clock.advance(3_600_000);
    await harness.start();
    await harness.clock.advance(30_000);
    const listAgain = byList ? await stopWatches(harness, '/deployments') : undefined;
    const containers = [{ name: 'app', envFrom: [fromConfigMap('app'), fromConfigMap('next')] }];
    await harness.patch('Deployment', 'web', { spec: { template: { spec: { containers } } } });
    await harness.clock.advance(10_000);
    await harness.edit('ConfigMap', 'next', { color: 'blue' });
    await harness.clock.advance(10_000);
    if (again) await harness.patch('Deployment', 'web', { metadata: { labels: { team: 'x' } } });
    await harness.clock.advance(5_000);
    listAgain?.();
    await harness.clock.advance(200_000);
    const restartTimes = harness
      .writesOf('Rollout', 'web-ro')
      .map(({ object }) => fieldAt(object, ['spec', 'restartAt']));
    expect(new Set(restartTimes.filter((time) => time !== undefined)).size).toBe(1);
  },
);

it.each(shown)(
  'a change after the opt-in of a Rollout restarts its Deployment if it %s',
  async (_how, byList, again) => {
    const harness = new Harness({ customKinds: [rolloutKind] });
    harness.seed(
      configMap({ name: 'app', data: { color: 'red' } }),
      deployment({ name: 'web', annotations: {}, envFrom: [fromConfigMap('app')] }),
      rolloutOf('web-ro', {}),
    );
    await harness.clock.advance(3_600_000);
    await harness.start();
    await harness.clock.advance(30_000);
    const listAgain = byList ? await stopWatches(harness, '/rollouts') : undefined;
    await harness.patch('Rollout', 'web-ro', { metadata: { annotations: auto } });
    await harness.clock.advance(10_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(10_000);
    if (again) await harness.patch('Rollout', 'web-ro', { metadata: { labels: { team: 'x' } } });
    await harness.clock.advance(5_000);
    listAgain?.();
    await harness.clock.advance(200_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  },
);

it.each([
  ['that is there is restarted by its Deployment', false, 1],
  ['whose creation a restore of etcd has undone asks for nothing, though Deployments are listed last', true, 0],
])('a Rollout %s', async (_what, isUndone, restarts) => {
  const harness = new Harness({ customKinds: [rolloutKind] });
  const web = deployment({ name: 'web', annotations: {}, envFrom: [fromConfigMap('app')] });
  harness.seed(configMap({ name: 'app', data: { color: 'red' } }), web);
  harness.leaseTimings = usualLease;
  await harness.start();
  await harness.clock.advance(60_000);
  const backup = harness.server.store.revision;
  await harness.clock.advance(60_000);
  harness.seed(rolloutOf('web-ro', auto));
  await harness.clock.advance(900_000);
  if (isUndone) {
    const match = ({ query, pathname }: FaultTarget): boolean =>
      query.has('sendInitialEvents') && pathname === '/apis/apps/v1/deployments';
    harness.faults.add({ match, times: 1, fault: { kind: 'delay', delayMs: 5_000 } });
    harness.server.restore(backup);
  }
  await harness.clock.advance(15_000);
  expect(harness.objects('Rollout')).toHaveLength(isUndone ? 0 : 1);
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(120_000);
  expect(harness.restarts('Deployment', 'web')).toBe(restarts);
});
