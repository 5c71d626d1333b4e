import { beforeEach, expect, it } from '@jest/globals';
import { budgets } from '../../shared/domain/budgets';
import { appConfig, at, contentOf, sourceRecord } from '../../shared/domain/plan/records.fixture';
import { noPast, type SourceEntry } from './source-entry';
import { SourceStore } from './source-store';

let store: SourceStore;

beforeEach(() => {
  store = new SourceStore();
});

function entryOf(options: Parameters<typeof sourceRecord>[0] = {}): SourceEntry {
  const times = { fromMs: at(0), ignoreSinceMs: 0, matchSinceMs: 0, keysSinceMs: 0 };
  return { record: sourceRecord(options), ...times, isRead: false, former: noPast, isFirstForgotten: false };
}

function put(options: Parameters<typeof sourceRecord>[0]): void {
  const record = sourceRecord(options);
  store.set(record, entryOf(options));
}

it('returns what was stored, whether it was packed or not', () => {
  const uid = '0f8fad5b-d9cb-469f-a165-70867728950e';
  const [packed, whole] = [entryOf({ uid }), entryOf({ uid: 'too odd to be packed' })];
  for (const entry of [packed, whole]) {
    store.set(appConfig, entry);
    expect(store.get(appConfig)).toEqual(entry);
  }
});

it('tells apart sources that differ in kind, namespace or name alone', () => {
  const others = [{ kind: 'Secret' }, { namespace: 'other' }, { name: 'other' }] as const;
  put(appConfig);
  for (const other of others) expect(store.get({ ...appConfig, ...other })).toBeUndefined();
  for (const other of others) put({ ...other, data: { color: 'blue' } });
  expect(store.get(appConfig)?.record?.content).toEqual(contentOf({ color: 'red' }));
});

it('lists the sources of a kind in one namespace, or in all', () => {
  for (const name of ['a', 'b']) put({ name });
  put({ name: 'c', namespace: 'other' });
  put({ name: 'd', kind: 'Secret' });
  expect([...store.namesIn('ConfigMap', 'shop')]).toEqual(['a', 'b']);
  expect([...store.keys('ConfigMap', 'shop')]).toEqual(['shop/a', 'shop/b']);
  expect([...store.keys('ConfigMap', undefined)]).toEqual(['shop/a', 'shop/b', 'other/c']);
  expect([...store.keys('ConfigMap', 'empty')]).toEqual([]);
});

it('lists the sources of a namespace that limit their users, whatever became of them', () => {
  const shared = { ...appConfig, kind: 'Secret', name: 'shared' } as const;
  const limiting = {
    ...entryOf(),
    record: { ...sourceRecord(), gates: { maxRolling: { count: 5, unit: 'workloads' } } },
  } satisfies SourceEntry;
  for (const source of [appConfig, shared, { ...shared, namespace: 'other' }]) store.set(source, limiting);
  store.set(appConfig, entryOf());
  expect([...store.limitingIn('shop')]).toEqual([shared]);
  for (const gates of [{ isUrgent: true }, { maxRolling: 'off' }] as const) {
    store.set(appConfig, { ...limiting, record: { ...limiting.record, gates } });
  }
  expect([...store.limitingIn('shop')]).toEqual([shared]);
  store.set(shared, { ...limiting, record: undefined });
  expect([...store.limitingIn('shop')]).toEqual([]);
  store.delete({ ...shared, namespace: 'other' });
  expect([...store.limitingIn('other')]).toEqual([]);
});

it('lists no more of those than the budget, and another one once one of them is gone', () => {
  const names = Array.from({ length: budgets.limitingSources + 1 }, (_, i) => `app-${String(i)}`);
  const record = { ...sourceRecord(), gates: { maxRolling: { count: 5, unit: 'workloads' } } } as const;
  for (const name of names) store.set({ ...appConfig, name }, { ...entryOf(), record });
  const listed = (): readonly string[] => [...store.limitingIn('shop')].map(({ name }) => name);
  expect(listed()).toEqual(names.slice(0, -1));
  store.delete({ ...appConfig, name: 'app-3' });
  expect(listed()).toEqual(names.filter((name) => name !== 'app-3'));
});

it('neither lists nor counts a deleted source whose past it still knows', () => {
  put({ name: 'a' });
  const before = store.count();
  const gone = { ...appConfig, name: 'gone' };
  store.set(gone, { ...entryOf(), record: undefined });
  expect([...store.namesIn('ConfigMap', 'shop')]).toEqual(['a']);
  expect(store.count()).toEqual(before);
  expect(store.countIn('ConfigMap', 'shop')).toBe(2);
  store.delete(gone);
  expect(store.countIn('ConfigMap', 'shop')).toBe(1);
});

it('counts sources by kind, and the bytes of their names and digests', () => {
  put(appConfig);
  expect(store.count()).toEqual({
    sources: { ConfigMap: 1, Secret: 0, SecretProviderClass: 0 },
    retainedBytes: 'shop'.length + 'app'.length + contentOf({ color: 'red' }).retainedBytes,
  });
  store.delete(appConfig);
  expect(store.count()).toEqual({ sources: { ConfigMap: 0, Secret: 0, SecretProviderClass: 0 }, retainedBytes: 0 });
});
