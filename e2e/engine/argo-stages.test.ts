import { expect, it } from '@jest/globals';
import { unlimited } from '../../shared/domain/gate-settings/pace-settings';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { rollout, rolloutKind } from '../apiserver/add-ons';
import { configMap, deployment, fromConfigMap, namespace } from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import { Harness, type Engine } from './harness';
import { inspected } from './inspection.fixture';

const annotations = { 'reloader.stakater.com/auto': 'true' };
const minuteMs = 60_000;
const stages = { fromUsers: 5, healthyForMs: 30_000, deadlineMs: 10 * minuteMs };

/** Of ten Deployments and a Rollout, the Rollout has restarted for a change. */
async function restartedFirst(): Promise<{ readonly harness: Harness; readonly engine: Engine }> {
  const harness = new Harness({ customKinds: [rolloutKind] });
  const uses = { namespace: 'shop', envFrom: [fromConfigMap('app')] };
  const canary = { ...annotations, 'reroll.dev/canary': 'true' };
  harness.seed(
    namespace('shop'),
    configMap({ name: 'app', namespace: 'shop', data: { color: 'red' } }),
    rollout({ name: 'canary', annotations: canary, ...uses }),
    ...Array.from({ length: 10 }, (_, n) => deployment({ name: `web-${n}`, annotations, ...uses })),
  );
  new Controllers(harness.server, { readyDelayMs: 5_000 }).start();
  await harness.clock.advance(minuteMs);
  const engine = await harness.start({ pace: unlimited, stages });
  // The baseline is another generation.
  await argoSays(harness, 'Healthy');
  await harness.clock.advance(minuteMs);
  await harness.edit('ConfigMap', 'app', { color: 'blue' }, 'shop');
  await harness.clock.advance(10_000);
  return { harness, engine };
}

/** What Argo's controller writes when it has looked at the Rollout. */
async function argoSays(harness: Harness, phase: string): Promise<void> {
  const { metadata } = await harness.get('Rollout', 'canary', 'shop');
  await harness.admin.request({
    ...{ method: 'PATCH', contentType: 'application/merge-patch+json' },
    path: '/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/canary/status',
    body: { status: { phase, observedGeneration: String(metadata.generation) } },
  });
}

it.each<[string, number, RegExp | undefined]>([
  ['Healthy', 10, undefined],
  ['Degraded', 0, /^restarts for ConfigMap app are stopped: Rollout canary is not healthy since it restarted at /],
  ['Progressing', 0, /^ConfigMap app restarts its users in stages: Rollout canary must first be healthy for 30s/],
  ['Paused', 0, /^ConfigMap app restarts its users in stages: Rollout canary must first be healthy for 30s/],
])('of a Rollout that went first and that Argo calls %s, %i others follow within its deadline', async (...row) => {
  const [phase, followers, waits] = row;
  const { harness, engine } = await restartedFirst();
  await argoSays(harness, phase);
  await harness.clock.advance(5 * minuteMs);
  expect([harness.restarts('Rollout', 'canary', 'shop'), harness.restartOrder().length]).toEqual([1, followers]);
  const { detail } = inspected.workload(engine, 'Deployment/shop/web-9') as { readonly detail?: string };
  if (waits) expect(detail).toMatch(waits);
  const stopped = harness.objects('Event').filter((event) => fieldAt(event, ['reason']) === 'RestartsStopped');
  expect(stopped).toHaveLength(phase === 'Degraded' ? 2 : 0);
  await engine.stop();
});

it('goes on by itself when Argo calls the Rollout healthy again', async () => {
  const { harness, engine } = await restartedFirst();
  await argoSays(harness, 'Degraded');
  await harness.clock.advance(5 * minuteMs);
  expect(harness.restartOrder()).toEqual([]);
  await argoSays(harness, 'Healthy');
  await harness.clock.advance(5 * minuteMs);
  expect(harness.restartOrder()).toHaveLength(10);
  await engine.stop();
});
