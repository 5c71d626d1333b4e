import { beforeEach, describe, expect, it } from '@jest/globals';
import { budgets } from '../../shared/domain/budgets';
import { writtenLine } from '../../shared/domain/protocol/history-line';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { ConnectionError, ForbiddenError } from '../../shared/kube/errors';
import { refusal } from '../../shared/kube/transport/fake-transport';
import { JobStore, type Mishap } from '../apply/job-journal.fixture';
import { entryAt } from './history.fixture';
import { HistoryStore } from './history-store';

const [one, two] = [writtenLine(entryAt(1)), writtenLine(entryAt(2))];
const pathOf = (index: number): string => `/api/v1/namespaces/reroll/configmaps/reroll-history-${index}`;

let cluster: JobStore;
let isLeading: boolean;
let broken: (readonly [configMap: string, problem: string])[];

beforeEach(() => {
  cluster = new JobStore();
  isLeading = true;
  broken = [];
});

/** The store of one process. */
function storeWith(handler = cluster.handler()): HistoryStore {
  return new HistoryStore({
    client: clientWorld(handler).client,
    ...{ namespace: 'reroll', ignoreKey: 'reloader.stakater.com/ignore' },
    assertLeading: () => {
      if (!isLeading) throw new Error('does not lead');
    },
    onBroken: (configMap, problem) => broken.push([configMap, problem]),
  });
}

function storeWithMishap(mishap: Mishap): HistoryStore {
  return storeWith(cluster.handler(mishap));
}

function seed(index: number, data: Readonly<Record<string, string>> | undefined): void {
  const metadata = { name: `reroll-history-${index}`, namespace: 'reroll' };
  cluster.put(pathOf(index), { apiVersion: 'v1', kind: 'ConfigMap', metadata, ...(data && { data }) });
}

function stored(index = 0): unknown {
  return cluster.objects.get(pathOf(index))?.['data'];
}

describe('a segment', () => {
  it('is created, written again, and read by the next leader', async () => {
    const store = storeWith();
    await store.write(0, one);
    await store.write(0, one + two);
    await store.write(1, '');
    expect(cluster.objects.get(pathOf(0))).toMatchObject({
      metadata: {
        labels: { 'app.kubernetes.io/managed-by': 'reroll', 'app.kubernetes.io/component': 'history' },
        annotations: { 'reloader.stakater.com/ignore': 'true' },
      },
      data: { restarts: one + two },
    });
    const log = await storeWith().read();
    expect(log.segment(0)).toBe(one + two);
    expect(log.unwritten).toEqual([]);
  });

  it('is empty if there is no ConfigMap, or one without it', async () => {
    seed(1, undefined);
    const log = await storeWith().read();
    expect([log.bytes, log.unwritten, broken]).toEqual([0, [], []]);
  });

  it('is not written by a process that does not lead', async () => {
    const store = storeWith();
    await store.read();
    isLeading = false;
    await expect(store.write(0, one)).rejects.toThrow('does not lead');
    expect(stored()).toBeUndefined();
  });

  it('that may not be read is not taken for an empty one', async () => {
    seed(0, { restarts: one });
    const forbidden = storeWith(() => refusal(403, 'Forbidden', 'User "x" cannot get resource "configmaps"'));
    await expect(forbidden.read()).rejects.toThrow(ForbiddenError);
    expect(broken).toEqual([]);
  });
});

describe('a write', () => {
  it('replaces nothing that another replica has written since', async () => {
    const [first, second] = [storeWith(), storeWith()];
    await Promise.all([first.read(), second.read()]);
    await first.write(0, one);
    await expect(second.write(0, two)).rejects.toMatchObject({ code: 'KUBE_ALREADY_EXISTS' });
    await second.read();
    await first.write(0, one + one);
    await expect(second.write(0, two)).rejects.toMatchObject({ code: 'KUBE_CONFLICT' });
    expect(stored()).toEqual({ restarts: one + one });
    await second.read();
    await second.write(0, two);
    expect(stored()).toEqual({ restarts: two });
  });

  it('whose answer was lost is not taken for stored, nor for lost', async () => {
    const store = storeWithMishap({ index: 0, what: 'answer-lost' });
    await expect(store.write(0, one)).rejects.toThrow(ConnectionError);
    await expect(store.write(0, one)).rejects.toMatchObject({ code: 'KUBE_ALREADY_EXISTS' });
    expect((await store.read()).segment(0)).toBe(one);
    await store.write(0, one + two);
    expect(stored()).toEqual({ restarts: one + two });
  });

  it('does not recreate a deleted ConfigMap before it was read again', async () => {
    const store = storeWith();
    await store.write(0, one);
    cluster.objects.delete(pathOf(0));
    await expect(store.write(0, one + two)).rejects.toMatchObject({ code: 'KUBE_NOT_FOUND', isOfObject: true });
    await store.read();
    await store.write(0, one + two);
    expect(stored()).toEqual({ restarts: one + two });
  });

  it('does not replace what a restore of etcd brought back', async () => {
    const store = storeWith();
    await store.write(0, one);
    const backup = cluster.objects.get(pathOf(0))!;
    await store.write(0, one + two);
    cluster.objects.set(pathOf(0), backup);
    await expect(store.write(0, one + two + two)).rejects.toMatchObject({ code: 'KUBE_CONFLICT' });
    expect(stored()).toEqual({ restarts: one });
  });
});

describe('a segment that this version cannot have written', () => {
  const tooLarge = one.repeat(Math.ceil(budgets.historySegmentBytes / one.length) + 1);

  it.each([
    ['is not JSON', 'hunter2', 'line 1 is not JSON'],
    ['has a line of something else', `${one}{"password":"hunter2"}`, 'line 2 is no line of a history'],
    ['is too large', tooLarge, 'it has more than 131072 bytes'],
  ])('and %s is dropped, told of without its content, and written over', async (_what, restarts, problem) => {
    seed(0, { restarts: one });
    seed(1, { restarts });
    seed(2, { restarts: two });
    const store = storeWith();
    const log = await store.read();
    expect(broken).toEqual([['reroll/reroll-history-1', problem]]);
    expect([log.segment(0), log.segment(1), log.segment(2)]).toEqual([one, '', two]);
    expect(log.unwritten).toEqual([1]);
    await store.write(1, '');
    expect(stored(1)).toEqual({ restarts: '' });
  });

  it('is not written over if somebody mends it first', async () => {
    seed(0, { restarts: 'hello' });
    const store = storeWith();
    await store.read();
    seed(0, { restarts: two });
    await expect(store.write(0, '')).rejects.toMatchObject({ code: 'KUBE_CONFLICT' });
  });
});
