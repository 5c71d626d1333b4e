import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { loadCanonicalForms } from '../../shared/domain/content-check/canonical-forms';
import { createObject, patchObject, type KubeObject } from '../../shared/kube/client/objects';
import { configMaps } from '../../shared/kube/resource';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { configMap, deployment, fromConfigMap, namespace } from '../apiserver/cluster';
import { codeBlocks, textOf } from '../docs/pages';
import { Harness } from './harness';

type Documented = KubeObject & { readonly kind: string };

const objects = codeBlocks(textOf('docs/what-counts.md'))
  .filter(({ text }) => text.includes('\n    reroll.dev/'))
  .map(({ text }) => parse(text) as Documented);

const otherContents = { 'app.yaml': 'level: warn\n', 'app.json': '{}', 'comment.txt': 'reviewed in April' };

/** A Deployment that uses two ConfigMaps, with the object of the page applied to the cluster. */
async function clusterWith(object: Documented): Promise<Harness> {
  const harness = new Harness();
  const sources = ['app', 'settings'].filter((name) => object.kind !== 'ConfigMap' || name !== object.metadata.name);
  harness.seed(
    namespace('shop'),
    ...sources.map((name) => configMap({ name, namespace: 'shop', data: otherContents })),
    deployment({
      ...{ name: 'web', namespace: 'shop', annotations: { 'reloader.stakater.com/auto': 'true' } },
      envFrom: [fromConfigMap('app'), fromConfigMap('settings')],
    }),
  );
  const { metadata } = object;
  if (object.kind === 'ConfigMap') await createObject(harness.admin, configMaps, 'shop', object);
  else {
    const { resource } = workloadKind('Deployment');
    const patch = { metadata: { annotations: metadata.annotations } };
    await patchObject(harness.admin, resource, 'shop', metadata.name, patch, { type: 'merge' });
  }
  return harness;
}

describe('each object in docs/what-counts.md', () => {
  it.each([
    ['a list of keys on a source', 0, 'app', 'comment.txt', 'reviewed in June', 'app.yaml', 'level: debug\n'],
    ['a list of keys on a source, with a second pattern', 0, 'app', 'README.md', 'new', 'app.yaml', 'level: debug\n'],
    ['a list of keys on a workload', 1, 'app', 'comment.txt', 'reviewed in June', 'app.yaml', 'level: debug\n'],
    ['a list of keys on a workload, for each source', 1, 'settings', 'comment.txt', 'new', 'app.json', '{"a":1}'],
    [
      ...(['a parsed comparison', 2, 'settings', 'app.json'] as const),
      '{\n  "retries": 3,\n  "level": "info"\n}',
      ...(['app.json', '{"level": "debug", "retries": 3}'] as const),
    ],
  ])('%s lets restart what counts, and nothing else', async (...row) => {
    const [, index, source, uncounted, edit, counted, change] = row;
    const harness = await clusterWith(objects[index]!);
    const forms = await loadCanonicalForms((_limitMs, work) => work());
    const engine = await harness.start({}, undefined, { forms });
    const restarts: number[] = [];
    for (const data of [{ [uncounted]: edit }, { [counted]: change }]) {
      await harness.edit('ConfigMap', source, data, 'shop');
      await harness.clock.advance(60_000);
      restarts.push(harness.restarts('Deployment', 'web', 'shop'));
    }
    await engine.stop();
    expect(restarts).toEqual([0, 1]);
  });

  it('is looked at here', () => expect(objects).toHaveLength(3));
});
