import { beforeEach, describe, expect, it } from '@jest/globals';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { ConnectionError, ForbiddenError } from '../../shared/kube/errors';
import { refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import { JobStore, testKey, testStore } from './job-journal.fixture';
import { entryName, type JobRecreation } from './journal-entry';
import type { JournalStore, RefusedEntry } from './journal-store';

const entry: JobRecreation = {
  uid: 'old',
  restartId: 'c0ffee00',
  sources: ['cm/app'],
  because: ['ConfigMap app: content changed'],
  successor: {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'migrate', namespace: 'shop', annotations: {} },
  },
};
const name = entryName('old');
const path = `/api/v1/namespaces/reroll/secrets/${name}`;
const otherKey = Buffer.alloc(32, 8);

let cluster: JobStore;
let refused: RefusedEntry[];

beforeEach(() => {
  cluster = new JobStore();
  refused = [];
});

function storeWith(key: Buffer | (() => Promise<Buffer>) = testKey): JournalStore {
  const load = typeof key === 'function' ? key : async () => await Promise.resolve(key);
  return testStore(clientWorld(cluster.handler()).client, load, (entry) => refused.push(entry));
}

/** Somebody else replaces the Secret just before the next request with this method. */
function exchangedBefore(method: string): void {
  cluster.before = (request) => {
    if (request.method !== method) return;
    cluster.before = () => undefined;
    const { metadata, ...secret } = cluster.objects.get(path)!;
    cluster.put(path, { ...secret, metadata, data: { mac: 'AAAA' } });
  };
}

describe('an entry', () => {
  it('that was written is read, listed, not replaced, and removed', async () => {
    const store = storeWith();
    expect(await store.write(entry)).toBe('written');
    expect(await store.write({ ...entry, restartId: 'second' })).toBe('there-before');
    const found = await store.read(name);
    expect(found).toMatchObject({ entry });
    expect([...(await storeWith().recover())]).toEqual([[name, { uid: 'old', job: 'shop/migrate' }]]);
    await store.remove(name, (found as { version: string }).version);
    expect(await store.read(name)).toBeUndefined();
    expect(refused).toEqual([]);
  });

  it('under another key is reported once, and is neither read, overwritten nor removed', async () => {
    await storeWith(otherKey).write(entry);
    const before = cluster.objects.get(path);
    const store = storeWith();
    for (let term = 0; term < 2; term++) {
      expect([...(await store.recover())]).toEqual([]);
      expect(await store.read(name)).toBe('refused');
      expect(await store.write(entry)).toBe('refused');
    }
    expect(cluster.objects.get(path)).toBe(before);
    expect(refused).toEqual([{ namespace: 'reroll', name, job: 'shop/migrate', why: 'wrong-mac' }]);
  });

  it('is reported again if another Secret took the name of a refused one', async () => {
    const store = storeWith();
    await storeWith(otherKey).write(entry);
    await store.recover();
    cluster.objects.delete(path);
    await store.recover();
    await storeWith(otherKey).write(entry);
    await store.recover();
    expect(refused).toHaveLength(2);
  });

  it('is a draft, which the next write replaces, until its second write is stored', async () => {
    cluster.before = ({ method }) => {
      if (method === 'PUT') throw new ConnectionError('read ECONNRESET');
    };
    await expect(storeWith().write(entry)).rejects.toThrow(ConnectionError);
    expect(await storeWith().read(name)).toMatchObject({ entry: { ...entry, draft: true } });
    cluster.before = () => undefined;
    expect(await storeWith().write({ ...entry, restartId: 'second' })).toBe('written');
    const { entry: written } = (await storeWith().read(name)) as { entry: JobRecreation };
    expect([written.restartId, written.draft]).toEqual(['second', undefined]);
  });

  it('whose draft was removed is not stored by a second write that arrives late', async () => {
    cluster.before = ({ method }) => {
      if (method === 'PUT') cluster.objects.delete(path);
    };
    await expect(storeWith().write(entry)).rejects.toMatchObject({ status: 404 });
    expect(cluster.objects.size).toBe(0);
  });

  it('that is replaced after it was verified is not overwritten', async () => {
    const store = storeWith();
    exchangedBefore('PUT');
    await expect(store.write(entry)).rejects.toMatchObject({ status: 409 });
    expect(cluster.objects.get(path)).toMatchObject({ data: { mac: 'AAAA' } });
  });

  it('that is replaced after it was read is not removed', async () => {
    const store = storeWith();
    await store.write(entry);
    const { version } = (await store.read(name)) as { version: string };
    exchangedBefore('DELETE');
    await expect(store.remove(name, version)).rejects.toMatchObject({ status: 409 });
    expect(cluster.objects.get(path)).toMatchObject({ data: { mac: 'AAAA' } });
  });
});

describe('of many entries', () => {
  const uids = Array.from({ length: 25 }, (_, index) => `old-${String(index)}`);

  async function many(): Promise<JournalStore> {
    const store = storeWith();
    for (const uid of uids) await store.write({ ...entry, uid });
    return store;
  }

  it('all are found when a term begins, and few are in memory at once', async () => {
    const store = await many();
    expect([...(await store.recover()).values()].map(({ uid }) => uid)).toEqual(uids);
    expect(cluster.mostAtOnce).toBe(10);
  });

  it('none is read to find out whether one is there', async () => {
    const store = await many();
    expect([await store.isListed(entryName('old-24')), await store.isListed(entryName('other'))]).toEqual([
      true,
      false,
    ]);
    expect(cluster.mostAtOnce).toBe(0);
  });
});

describe('the key', () => {
  const loads: Buffer[] = [];
  const rotating = async (): Promise<Buffer> => await Promise.resolve(loads.shift() ?? otherKey);

  it('is the one that is stored when a term begins', async () => {
    loads.push(testKey, otherKey);
    const store = storeWith(rotating);
    await store.recover();
    await store.write(entry);
    expect(await store.read(name)).toMatchObject({ entry });
    await store.recover();
    expect(await store.read(name)).toBe('refused');
  });

  const forbidden = async (): Promise<Buffer> => {
    const { client } = clientWorld((): Reply => refusal(403, 'Forbidden'));
    await client.request({ method: 'GET', path: '/api/v1/namespaces/reroll/secrets/reroll-journal-key' });
    return testKey;
  };

  it('does not need to be readable while there is nothing to verify', async () => {
    const store = storeWith(forbidden);
    expect([...(await store.recover())]).toEqual([]);
    await expect(store.write(entry)).rejects.toThrow(ForbiddenError);
    expect(cluster.objects.size).toBe(0);
  });

  it('must be readable before existing entries are read', async () => {
    await storeWith().write(entry);
    await expect(storeWith(forbidden).recover()).rejects.toThrow(ForbiddenError);
    expect(refused).toEqual([]);
  });

  it('is waited for if it cannot be loaded for any other reason', async () => {
    const store = storeWith(async () => await Promise.reject(new Error('down')));
    await expect(store.recover()).rejects.toThrow('down');
  });
});
