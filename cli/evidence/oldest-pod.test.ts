import { expect, it } from '@jest/globals';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { readOldestPodMs } from './oldest-pod';

const at = '2026-01-01T12:00:00Z';

/** As an API server, which refuses a selector that it cannot read. */
function podsWorld() {
  return clientWorld(({ path }) => {
    const selector = new URL(path, 'http://api').searchParams.get('labelSelector') ?? '';
    if (!/^[-\w./]+=[-\w.]*(,[-\w./]+=[-\w.]*)*$/.test(selector)) {
      return { status: 400, body: JSON.stringify({ kind: 'Status', reason: 'BadRequest', code: 400 }) };
    }
    const metadata = { namespace: 'shop', name: 'web-0', uid: 'p', resourceVersion: '1', creationTimestamp: at };
    return { body: JSON.stringify({ metadata: { resourceVersion: '1' }, items: [{ metadata }] }) };
  });
}

it('is found by the labels of a workload', async () => {
  const { client } = podsWorld();
  const labels = { 'app.kubernetes.io/name': 'web', tier: '' };
  expect(await readOldestPodMs(client, 'shop', labels, { timeoutMs: 1_000 })).toBe(Date.parse(at));
});

it.each<[string, Readonly<Record<string, string>>]>([
  ['a value that no label has', { app: 'a,b' }],
  ['a name that no label has', { 'a b': 'c' }],
  ['an empty name', { '': 'c' }],
  ['more labels than an address holds', Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`l${n}`, 'x']))],
])('is not asked for where an Argo Rollout has %s in its selector', async (_what, labels) => {
  const { client, transport } = podsWorld();
  expect(await readOldestPodMs(client, 'shop', labels, { timeoutMs: 1_000 })).toBeUndefined();
  expect(transport.requests).toEqual([]);
});
