import { describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { everything, parseSelector, type Selector } from '../../shared/domain/kubernetes/selector';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { GoneError } from '../../shared/kube/errors';
import { refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import { contentOf, digester } from '../../shared/domain/plan/records.fixture';
import { sourceReads } from './source-reads';

const app = {
  metadata: {
    ...{ name: 'app', namespace: 'shop', uid: 'u', resourceVersion: '7' },
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  data: { color: 'red' },
};
const list = (...items: readonly object[]): Reply => ({ body: { metadata: { resourceVersion: '9' }, items } });

interface Asked {
  readonly kind?: 'ConfigMap' | 'Secret';
  readonly selector?: Selector;
  readonly version?: string;
}

async function find(reply: Reply, { kind = 'ConfigMap', selector = everything, version }: Asked = {}) {
  const world = clientWorld(() => reply);
  const record = await sourceReads(world, digester, defaultAnnotationKeys, selector).find(
    { kind, namespace: 'shop', name: 'app' },
    version,
  );
  const [request, ...more] = world.transport.requests.map(({ path, headers }) => {
    const url = new URL(path, 'http://server');
    return { path: url.pathname, query: Object.fromEntries(url.searchParams), accept: headers['accept'] };
  });
  expect(more).toEqual([]);
  return { record, request };
}

describe('a source', () => {
  it('lists one name, from no cache, and keeps the digest of what it holds', async () => {
    const { record, request } = await find(list(app));
    expect(request).toMatchObject({
      path: '/api/v1/namespaces/shop/configmaps',
      query: { fieldSelector: 'metadata.name=app', limit: '1' },
    });
    expect(Object.keys(request?.query ?? {})).not.toContain('resourceVersion');
    expect(record).toMatchObject({ uid: 'u', resourceVersion: '7', content: contentOf({ color: 'red' }) });
  });

  it('asks for the whole object, not its metadata', async () => {
    expect((await find(list(app))).request?.accept).not.toContain('PartialObjectMetadata');
  });

  it('digests a Secret by its decoded values', async () => {
    const data = { color: Buffer.from('red').toString('base64') };
    const { record, request } = await find(list({ ...app, data }), { kind: 'Secret' });
    expect(request?.path).toBe('/api/v1/namespaces/shop/secrets');
    expect(record?.content).toEqual(contentOf({ color: 'red' }, 'Secret'));
  });

  it('finds what was stored at a version, exactly', async () => {
    const { request } = await find(list(app), { version: '8' });
    expect(request?.query).toMatchObject({ resourceVersion: '8', resourceVersionMatch: 'Exact' });
  });

  it('finds what a watch would show: what the selector selects', async () => {
    const { request } = await find(list(app), { selector: parseSelector('reload=yes') });
    expect(request?.query).toMatchObject({ labelSelector: 'reload=yes' });
  });

  it('finds nothing where there is none', async () => {
    expect((await find(list())).record).toBeUndefined();
  });

  it('says that a version is too long ago', async () => {
    await expect(find(refusal(410, 'Expired'), { version: '8' })).rejects.toThrow(GoneError);
  });
});

describe('the sources of a namespace', () => {
  it('are listed whole, those that the selector selects, and digested', async () => {
    const world = clientWorld(() => list(app, { ...app, metadata: { ...app.metadata, name: 'two' } }, { data: {} }));
    const reads = sourceReads(world, digester, defaultAnnotationKeys, parseSelector('reload=yes'));
    const taken: unknown[] = [];
    await reads.each('ConfigMap', 'shop', ({ name, content }) => void taken.push([name, content]));
    expect(taken).toEqual([
      ['app', contentOf({ color: 'red' })],
      ['two', contentOf({ color: 'red' }, 'ConfigMap', 'two')],
    ]);
    expect(world.transport.requests.map(({ path }) => path)).toEqual([
      '/api/v1/namespaces/shop/configmaps?labelSelector=reload%3Dyes&limit=500',
    ]);
    expect(world.transport.requests[0]?.headers['accept']).not.toContain('PartialObjectMetadata');
  });
});
