import { expect, it } from '@jest/globals';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import { installOf } from './install';
import { readWorkloads } from './seen-workloads';

const args = ['reconciler', '--namespace-selector=env=prod', '--auto-reload-all'];
const install = installOf({ spec: { template: { spec: { containers: [{ args }] } } } });

const metadataOf = (name: string) => ({ name, uid: name, resourceVersion: '1' });
const containers = [{ name: 'web', envFrom: [{ configMapRef: { name: 'app' } }] }];
const workload = (namespace: string) => ({
  metadata: { ...metadataOf('web'), namespace, annotations: { 'reloader.stakater.com/auto': 'true' } },
  spec: { template: { spec: { containers } } },
});
const labelled = (name: string, env: string) => ({ metadata: { ...metadataOf(name), labels: { env } } });

const withoutQuery = (path: string): string => path.replace(/\?.*/, '');

/** Deployment `web` in each of these namespaces, of which all but `lab` are selected. */
function worldOf(names: readonly string[], listing?: Reply) {
  const namespaces = names.map((name) => labelled(name, name === 'lab' ? 'test' : 'prod'));
  return clientWorld(({ path: asked }) => {
    const path = withoutQuery(asked);
    if (path.endsWith('/deployments')) return { body: { items: names.map(workload) } };
    if (path === '/api/v1/namespaces') return listing ?? { body: { items: namespaces } };
    const one = namespaces.find(({ metadata }) => path === `/api/v1/namespaces/${metadata.name}`);
    return one ? { body: one } : { body: { items: [] } };
  });
}

async function seenIn(names: readonly string[], namespace: string | undefined, listing?: Reply) {
  const { client, transport } = worldOf(names, listing);
  const { records } = await readWorkloads(client, namespace, install, {});
  const paths = transport.requests
    .map(({ path }) => withoutQuery(path))
    .filter((path) => /\/namespaces(\/[a-z0-9]+)?$/.test(path));
  return { in: records.map((record) => record.namespace), paths };
}

it('asks once which of all namespaces are selected, however many there are', async () => {
  const names = ['lab', ...Array.from({ length: 50 }, (_, n) => `n${n}`)];
  const { in: found, paths } = await seenIn(names, undefined);
  expect(found.toSorted()).toEqual(names.slice(1).toSorted());
  expect(paths).toEqual(['/api/v1/namespaces']);
});

it.each([
  ['shop', ['shop']],
  ['lab', []],
])('reads namespace %s alone when only that is asked for, which whoever may not list them may', async (name, found) => {
  expect(await seenIn([name], name)).toEqual({ in: found, paths: [`/api/v1/namespaces/${name}`] });
});

it('leaves out none if the namespaces may not be listed', async () => {
  const forbidden = refusal(403, 'Forbidden', 'User "bob" cannot list resource "namespaces" in API group ""');
  expect((await seenIn(['lab', 'shop'], undefined, forbidden)).in).toEqual(['lab', 'shop']);
});
