import { expect, it } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { everything } from '../../shared/domain/kubernetes/selector';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { readSources } from './seen-sources';

it('is asked of no name that no object can have, which a workload may well refer to', async () => {
  const { client, transport } = clientWorld(({ path }) => {
    if (path.endsWith('/app')) {
      const metadata = { namespace: 'shop', name: 'app', uid: 'u', resourceVersion: '1' };
      return { body: JSON.stringify({ metadata: { ...metadata, creationTimestamp: '2026-01-01T12:00:00Z' } }) };
    }
    return { status: 400, body: JSON.stringify({ kind: 'Status', reason: 'BadRequest', code: 400 }) };
  });
  const names = ['app', '..', '.', 'a/b', '..%2f', 'a b', 'App'];
  const sources = names.map((name) => ({ kind: 'ConfigMap', name }) as const);
  const asked = { namespace: 'shop', sources, keys: defaultAnnotationKeys, selector: everything };
  const seen = await readSources(client, asked, { timeoutMs: 1_000 });
  expect([...seen.values()].map(({ is }) => is)).toEqual(['there', ...names.slice(1).map(() => 'absent')]);
  expect(transport.requests).toHaveLength(1);
});
