import { beforeEach, describe, expect, it } from '@jest/globals';
import { keptObjectName, type StoredSource } from '../../shared/domain/rollback/kept-object';
import { clientWorld, bodyOf } from '../../shared/kube/client/client.fixture';
import type { KubeObject } from '../../shared/kube/client/objects';
import { refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import { NotLeadingError } from '../apply/restart';
import { KeptStore, NameTakenError } from './kept-store';

const path = '/api/v1/namespaces/shop/secrets';
const note = { change: '0123abcd', at: '2026-11-25T22:00:00.000Z' };
const source: KubeObject = {
  metadata: { name: 'db', namespace: 'shop', uid: 'u-1', resourceVersion: '7' },
  type: 'Opaque',
  data: { password: 'MQ==' },
};
const name = keptObjectName('good', source);

/** What the API server has under the name of the kept content. */
let stored: StoredSource | undefined;
let requests: string[];
let isLeading: boolean;
/** A mutating webhook changes what is created. */
let altered: object;
let store: KeptStore;

beforeEach(() => {
  [stored, requests, isLeading, altered] = [undefined, [], true, {}];
  let version = 10;
  const { client } = clientWorld((request): Reply => {
    const [at = ''] = request.path.split('?');
    requests.push(`${request.method} ${at.replace(path, '')}`);
    const sent = bodyOf(request) as StoredSource;
    version++;
    if (request.method === 'POST') {
      const metadata = { ...sent.metadata, uid: `kept-${version}`, resourceVersion: String(version) };
      stored = { ...sent, ...altered, metadata };
      return { body: stored };
    }
    if (!stored) return refusal(404, 'NotFound');
    if (request.method === 'DELETE') stored = undefined;
    else if (request.method === 'PATCH') {
      const annotations = { ...stored.metadata.annotations, ...sent.metadata.annotations };
      stored = { ...stored, metadata: { ...stored.metadata, resourceVersion: String(version), annotations } };
    }
    return { body: stored ?? {} };
  });
  store = new KeptStore({
    ...{ client, ignoreKey: 'reloader.stakater.com/ignore' },
    loadKey: async () => await Promise.resolve(Buffer.alloc(32, 1)),
    assertLeading: () => {
      if (!isLeading) throw new NotLeadingError();
    },
  });
});

const read = async () => await store.read('good', 'Secret', source);
const write = async () => await store.write('good', 'Secret', source, note);

describe('KeptStore', () => {
  it('reads what it has written', async () => {
    expect(await read()).toBe('absent');
    await write();
    expect(await read()).toMatchObject({ note, fields: { data: { password: 'MQ==' } } });
  });

  it('writes the MAC once it knows the uid, and deletes the content of before first', async () => {
    await write();
    requests.length = 0;
    await write();
    expect(requests).toEqual([`GET /${name}`, `DELETE /${name}`, 'POST ', `PATCH /${name}`]);
  });

  it('notes something else on a content', async () => {
    await write();
    const kept = await read();
    if (typeof kept === 'string') throw new Error(kept);
    const other = { ...note, version: '8', rolledBack: ['0123abcd'] };
    await store.note('good', 'Secret', source, kept, other);
    expect(await read()).toMatchObject({ note: other, uid: kept.uid });
  });

  it('does not trust what admission has changed on its way', async () => {
    altered = { data: { password: 'Mg==' } };
    await write();
    expect(await read()).toBe('not-trusted');
  });

  it('does not trust a draft, and replaces it', async () => {
    await write();
    if (stored) stored = { ...stored, metadata: { ...stored.metadata, annotations: {} } };
    expect(await read()).toBe('not-trusted');
    await write();
    expect(await read()).toMatchObject({ note });
  });

  it('leaves an object of somebody else alone', async () => {
    stored = { metadata: { name, namespace: 'shop', uid: 'u-9', resourceVersion: '9' }, data: {} };
    await expect(write()).rejects.toBeInstanceOf(NameTakenError);
    expect(requests).toEqual([`GET /${name}`]);
  });

  it('writes nothing if another replica leads', async () => {
    isLeading = false;
    await expect(write()).rejects.toBeInstanceOf(NotLeadingError);
    expect(requests).toEqual([`GET /${name}`]);
  });
});
