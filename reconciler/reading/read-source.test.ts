import { describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { everything, parseSelector } from '../../shared/domain/kubernetes/selector';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import { appConfig, contentOf, digester } from '../../shared/domain/plan/records.fixture';
import { sourceReader } from './read-source';

const metadata = {
  ...{ name: 'app', namespace: 'shop', uid: 'u', resourceVersion: '7' },
  creationTimestamp: '2026-01-01T00:00:00Z',
};
const app = (labels?: object): Reply => ({ body: { metadata: { ...metadata, labels }, data: { color: 'red' } } });

async function read(reply: Reply, selector = everything) {
  const { client, transport } = clientWorld(() => reply);
  const record = await sourceReader(client, digester, defaultAnnotationKeys, selector)(appConfig);
  return { record, paths: transport.requests.map(({ path }) => path) };
}

describe('sourceReader', () => {
  it('reads one object by name, whatever a cache would say, and keeps its digest', async () => {
    const { record, paths } = await read(app());
    expect(paths).toEqual(['/api/v1/namespaces/shop/configmaps/app']);
    expect(record?.content.whole()).toBe(contentOf({ color: 'red' }).whole());
  });

  it('says when there is none', async () => {
    const details = { name: 'app', kind: 'configmaps' };
    const none = { status: 404, body: { kind: 'Status', reason: 'NotFound', code: 404, details } };
    expect((await read(none)).record).toBeUndefined();
  });

  it.each([
    ['a server that does not know the path', refusal(404, 'NotFound')],
    ['a proxy', { status: 404, body: '404 page not found' }],
  ])('does not take the 404 of %s for an answer about the source', async (_whose, reply) => {
    await expect(read(reply)).rejects.toThrow('404');
  });

  it.each([
    [{ reload: 'yes' }, true],
    [{ reload: 'no' }, false],
    [undefined, false],
  ])('§10.3 with labels %j it is there: %j', async (labels, isThere) => {
    const { record } = await read(app(labels), parseSelector('reload=yes'));
    expect(record !== undefined).toBe(isThere);
  });
});
