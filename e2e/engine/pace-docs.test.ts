import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { patchObject } from '../../shared/kube/client/objects';
import { configMaps, namespaces } from '../../shared/kube/resource';
import { configMap, deployment, fromConfigMap, namespace, statefulSet } from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import { codeBlocks, textOf } from '../docs/pages';
import { Harness } from './harness';

interface Documented {
  readonly kind: 'Namespace' | 'Deployment' | 'ConfigMap';
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
}

const objects = codeBlocks(textOf('docs/pace.md'))
  .filter(({ text }) => text.includes('\n    reroll.dev/'))
  .map(({ text }) => parse(text) as Documented);

const annotations = { 'reloader.stakater.com/auto': 'true' };
const uses = { namespace: 'shop', annotations, envFrom: [fromConfigMap('app')], replicas: 8 };
const names = ['web', 'db', 'a', 'b', 'c', 'd', 'e', 'f'];

/** A cluster of eight Deployments and a StatefulSet that use one ConfigMap, with the object of the page applied to it. */
async function clusterWith({ kind, metadata }: Documented): Promise<Harness> {
  const harness = new Harness();
  harness.seed(namespace('shop'), configMap({ name: 'app', namespace: 'shop', data: { color: 'red' } }));
  harness.seed(
    ...names.map((name) => deployment({ name, ...uses })),
    statefulSet({ name: 'cache', ...uses, replicas: 2 }),
  );
  const patch = { metadata: { annotations: metadata.annotations } };
  if (kind === 'Namespace') await patchObject(harness.admin, namespaces, undefined, 'shop', patch, { type: 'merge' });
  else if (kind === 'ConfigMap')
    await patchObject(harness.admin, configMaps, 'shop', metadata.name, patch, { type: 'merge' });
  else await harness.patch('Deployment', metadata.name, patch, 'shop');
  new Controllers(harness.server, { readyDelayMs: 20_000 }).start();
  await harness.clock.advance(120_000);
  return harness;
}

function restarted(harness: Harness): readonly string[] {
  const deployments = names.filter((name) => harness.restarts('Deployment', name, 'shop') > 0);
  return harness.restarts('StatefulSet', 'cache', 'shop') > 0 ? [...deployments, 'cache'] : deployments;
}

describe('each object in docs/pace.md', () => {
  const all = names.length + 1;

  it.each<[string, number, boolean]>([
    ['so many of the namespace', 5, true],
    ['so many pods of the users', 3, true],
    ['a wave', all - 1, false],
    ['after others', all - 1, false],
  ])('%s does what the page says', async (...row) => {
    const [what, atFirst, mayBeFirst] = row;
    const index = ['so many of the namespace', 'so many pods of the users', 'a wave', 'after others'].indexOf(what);
    const harness = await clusterWith(objects[index]!);
    const engine = await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' }, 'shop');
    await harness.clock.advance(10_000);
    const first = restarted(harness);
    expect(first).toHaveLength(atFirst);
    if (!mayBeFirst) expect(first).not.toContain('web');
    await harness.clock.advance(15 * 60_000);
    expect(restarted(harness)).toHaveLength(all);
    await engine.stop();
  });

  it('is looked at here', () => expect(objects).toHaveLength(4));
});
