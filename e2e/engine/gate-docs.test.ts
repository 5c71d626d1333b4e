import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { createObject, patchObject } from '../../shared/kube/client/objects';
import { configMaps, namespaces, secrets, type Resource } from '../../shared/kube/resource';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { configMap, deployment, fromConfigMap, fromSecret, namespace, secret } from '../apiserver/cluster';
import { codeBlocks, textOf } from '../docs/pages';
import { ownNamespace } from '../engine-settings';
import { Harness } from './harness';
import { inspected } from './inspection.fixture';

interface Documented {
  readonly kind: 'Namespace' | 'Deployment' | 'ConfigMap' | 'Secret';
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
}

/** The objects that a page shows, in its order. */
function objectsOf(page: string): readonly Documented[] {
  const blocks = codeBlocks(textOf(page)).filter(({ text }) => text.includes('\n    reroll.dev/'));
  return blocks.map(({ text }) => parse(text) as Documented);
}

const resources: Readonly<Record<Documented['kind'], Resource>> = {
  Namespace: namespaces,
  Deployment: workloadKind('Deployment').resource,
  ConfigMap: configMaps,
  Secret: secrets,
};

/** Applies an object to a cluster in which a Deployment uses a ConfigMap and a Secret. */
async function clusterWith({ kind, metadata }: Documented): Promise<Harness> {
  const harness = new Harness();
  harness.seed(
    namespace('shop'),
    configMap({ name: 'app', namespace: 'shop', data: { color: 'red' } }),
    secret({ name: 'db', namespace: 'shop', data: { password: 'a' } }),
    deployment({
      ...{ name: 'web', namespace: 'shop', annotations: { 'reloader.stakater.com/auto': 'true' } },
      envFrom: [fromConfigMap('app'), fromSecret('db')],
    }),
  );
  if (metadata.name === 'reroll-hold') await createObject(harness.admin, configMaps, ownNamespace, { metadata });
  else {
    const where = kind === 'Namespace' ? undefined : 'shop';
    const patch = { metadata: { annotations: metadata.annotations } };
    await patchObject(harness.admin, resources[kind], where, metadata.name, patch, { type: 'merge' });
  }
  return harness;
}

/** What the Deployment waits for after two changes of a source; `restarted` is how often it did. */
async function outcomeOf(object: Documented): Promise<{ readonly waitsFor: unknown; readonly restarted: number }> {
  const harness = await clusterWith(object);
  const engine = await harness.start();
  for (const value of ['b', 'c']) {
    if (object.kind === 'Secret') await harness.edit('Secret', 'db', { password: value }, 'shop');
    else await harness.edit('ConfigMap', 'app', { color: value }, 'shop');
    await harness.clock.advance(30_000);
  }
  const { waitsFor } = inspected.workload(engine, 'Deployment/shop/web') as { readonly waitsFor?: unknown };
  await engine.stop();
  return { waitsFor, restarted: harness.restarts('Deployment', 'web', 'shop') };
}

describe.each([
  ['docs/holding.md', ['hold', 'hold', 'hold', 'hold'], [0, 0, 0, 0]],
  ['docs/windows.md', ['window', 'interval', 'next-rollout', undefined], [0, 1, 0, 2]],
  ['docs/gitops.md', ['hold'], [0]],
])('each object in %s', (page, waits, restarts) => {
  it('does what the page says', async () => {
    const outcomes = await Promise.all(objectsOf(page).map(outcomeOf));
    expect(outcomes).toEqual(waits.map((waitsFor, index) => ({ waitsFor, restarted: restarts[index] })));
  });
});
