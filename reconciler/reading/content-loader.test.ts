import { beforeEach, describe, expect, it } from '@jest/globals';
import { budgets } from '../../shared/domain/budgets';
import type { DigestedSource } from '../../shared/domain/sources/source';
import { errorFromStatus, ForbiddenError, GoneError, ServerError } from '../../shared/kube/errors';
import { requestTarget } from '../../shared/kube/request-target';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { appConfig, at, contentOf, listedRecord, sourceRecord } from '../../shared/domain/plan/records.fixture';
import { ContentLoader } from './content-loader';
import { SourceIndex } from '../sources/source-index';

const red = { color: 'red' };
const blue = { color: 'blue' };
const refusal = { status: 403, reason: 'Forbidden', retryAfterMs: undefined };
const forbidden = new ForbiddenError('no', refusal, requestTarget('GET', '/api/v1/configmaps'), undefined);
const tooOld = new GoneError('too old', { status: 410, reason: 'Expired', retryAfterMs: undefined });
const toCome = errorFromStatus(
  504,
  {
    code: 504,
    reason: 'Timeout',
    message: 'Timeout: Too large resource version: 8, current: 7',
    name: undefined,
    resource: undefined,
    causes: ['ResourceVersionTooLarge'],
    retryAfterMs: 1_000,
  },
  requestTarget('GET', '/api/v1/configmaps'),
);
const broken = new ServerError('broken', { status: 500, reason: undefined, retryAfterMs: undefined });

let index: SourceIndex;
let contents: ContentLoader;
/** The version that each request asked for, or the stored one. */
let asked: string[];
let answers: Readonly<Record<string, DigestedSource | Error | undefined>>;
/** Runs before a request is answered. */
let meanwhile: () => void;
/** Answers a read of any name but `app`. */
let find: (name: string) => DigestedSource | undefined;
/** The sources in a list of the namespace. */
let stored: DigestedSource[];
let isRefused: boolean;
/** Versions that were passed to `onRead`. */
let reported: string[];

beforeEach(() => {
  reported = [];
  stored = [];
  index = new SourceIndex(new FakeClock(), {
    onChange: () => undefined,
    onInconsistency: () => undefined,
    onListed: () => undefined,
  });
  asked = [];
  answers = {};
  meanwhile = () => undefined;
  isRefused = false;
  contents = new ContentLoader({
    sources: index,
    isRefused: () => isRefused,
    each: async (kind, namespace, take) => {
      asked.push(`${kind} of ${namespace}`);
      await Promise.resolve();
      meanwhile();
      for (const source of stored) take(source);
    },
    onRead: ({ resourceVersion }) => void reported.push(resourceVersion),
    find: async ({ kind, namespace, name }, resourceVersion = 'now') => {
      expect(`${kind} ${namespace}`).toMatch(/^ConfigMap (shop|gone-)/);
      asked.push(resourceVersion);
      const answer = name === 'app' ? answers[resourceVersion] : find(name);
      await Promise.resolve();
      meanwhile();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
});

const sink = () => index.sink('ConfigMap', undefined, () => undefined);
const read = async () => await contents.read('shop', [{ kind: 'ConfigMap', name: 'app' }]);
const contentNow = () => index.get(appConfig)?.content;
const atStart = () => index.inForceAt(appConfig, at(-10));

function version(resourceVersion: string, data = red): DigestedSource {
  return sourceRecord({ resourceVersion, data });
}

describe('what is stored now', () => {
  it('is read once if a list left it out', async () => {
    sink().upsert(listedRecord(), 'list');
    answers = { now: version('1') };
    await read();
    await read();
    expect(contentNow()).toEqual(contentOf(red));
    expect(asked).toEqual(['now']);
    expect(reported).toEqual(['1']);
  });

  it('is not asked for where it is known, and not where there is nothing', async () => {
    await read();
    sink().upsert(sourceRecord(), 'watch');
    await read();
    expect(asked).toEqual([]);
  });

  it('is deleted', async () => {
    sink().upsert(listedRecord(), 'list');
    await read();
    expect(index.get(appConfig)).toBeUndefined();
    expect(reported).toEqual([]);
  });

  it('is deleted, and its last content is known if the API server still has it', async () => {
    sink().upsert(listedRecord(), 'list');
    answers = { '1': version('1') };
    await read();
    expect(asked).toEqual(['now', '1']);
    expect(atStart()).toEqual({ content: contentOf(red) });
  });

  it.each<[string, DigestedSource | undefined]>([
    ['a state', version('1')],
    ['an absence', undefined],
  ])('is not taken from a read that the watch has overtaken: %s', async (_what, answer) => {
    sink().upsert(listedRecord(), 'list');
    answers = { now: answer };
    meanwhile = () => sink().upsert(version('2', blue), 'watch');
    await read();
    expect(contentNow()).toEqual(contentOf(blue));
  });

  it('is not taken from a read that a list has overtaken, and can be read again', async () => {
    sink().upsert(listedRecord(), 'list');
    answers = { now: version('1') };
    meanwhile = () => sink().upsert(listedRecord({ resourceVersion: '2' }), 'list');
    await read();
    expect(contentNow()).toBe('metadata-only');
    answers = { '1': version('1'), now: version('2', blue) };
    await read();
    expect(contentNow()).toEqual(contentOf(blue));
  });

  it('is not taken from a read that began before a restore of etcd, and is read anew', async () => {
    sink().upsert(listedRecord(), 'list');
    answers = { now: version('1', blue) };
    meanwhile = () => {
      meanwhile = () => undefined;
      contents.readAnew();
      answers = { now: version('1') };
      void read();
    };
    await read();
    await Promise.resolve();
    expect([asked, contentNow()]).toEqual([['now', 'now'], contentOf(red)]);
  });

  it('of a SecretProviderClass is never asked for', async () => {
    index
      .sink('SecretProviderClass', undefined, () => undefined)
      .upsert(listedRecord({ kind: 'SecretProviderClass' }), 'list');
    await contents.read('shop', [{ kind: 'SecretProviderClass', name: 'app' }]);
    expect(asked).toEqual([]);
  });
});

describe('what was stored', () => {
  beforeEach(() => {
    sink().upsert(listedRecord(), 'list');
    sink().upsert(version('9', blue), 'watch');
  });

  it('is read as it was just before it was written again', async () => {
    answers = { '8': version('1') };
    await read();
    expect(asked).toEqual(['8']);
    expect(atStart()).toEqual({ content: contentOf(red) });
  });

  it.each<[string, DigestedSource | undefined]>([
    ['another write', version('5', blue)],
    ['nothing', undefined],
  ])('is read as it was written, where %s came between', async (_what, between) => {
    answers = { '8': between, '1': version('1') };
    await read();
    expect(asked).toEqual(['8', '1']);
    expect(atStart()).toEqual({ content: contentOf(red) });
  });

  it.each<[string, Readonly<Record<string, DigestedSource | Error>>]>([
    ['is too long ago', { '8': tooOld }],
    ['is of before a restore of etcd', { '8': toCome }],
    ['is shown by no version', { '8': version('5'), '1': version('5') }],
    ['came before another write and is too long ago', { '8': version('5'), '1': tooOld }],
  ])('is unknown, and not asked for again, where it %s', async (_where, byVersion) => {
    answers = byVersion;
    await read();
    const once = asked.length;
    await read();
    expect(atStart()).toBe('unknown');
    expect(asked).toHaveLength(once);
  });

  it('is not taken from a read that began before a restore of etcd', async () => {
    answers = { '8': version('1') };
    meanwhile = () => contents.readAnew();
    await read();
    expect(atStart()).toBe('metadata-only');
  });

  it('is unknown where its kind may not be listed any more', async () => {
    answers = { '8': forbidden };
    await expect(read()).rejects.toBe(forbidden);
    isRefused = true;
    await read();
    expect(atStart()).toBe('unknown');
  });

  it('is read of a source that is gone', async () => {
    sink().upsert(listedRecord({ resourceVersion: '11' }), 'list');
    sink().remove('shop/app', undefined, '13');
    answers = { '8': version('1'), '12': version('11', { color: 'green' }) };
    await read();
    expect(asked).toEqual(['8', '12']);
    expect(index.unresolved(appConfig)).toEqual({
      past: [],
      now: undefined,
    });
  });

  it('and what is stored now are both read', async () => {
    sink().upsert(listedRecord({ resourceVersion: '11' }), 'list');
    answers = { '8': tooOld, now: version('11', { color: 'green' }) };
    await read();
    expect(asked).toEqual(['8', 'now']);
    expect(contentNow()).toEqual(contentOf({ color: 'green' }));
  });
});

describe('a read', () => {
  beforeEach(() => sink().upsert(listedRecord(), 'list'));

  it.each([
    ['now', 'now', () => undefined],
    ['in the past', '8', () => sink().upsert(version('9', blue), 'watch')],
  ])('that fails %s is tried again by the next', async (_when, at, before) => {
    before();
    answers = { [at]: broken };
    await expect(read()).rejects.toBe(broken);
    answers = { [at]: version('1') };
    await read();
    expect(asked).toEqual([at, at]);
    expect(atStart()).toEqual({ content: contentOf(red) });
  });

  it('serves all concurrent callers, also when it fails', async () => {
    answers = { now: broken };
    expect(await Promise.allSettled([read(), read()])).toMatchObject([{ reason: broken }, { reason: broken }]);
    answers = { now: version('1') };
    await Promise.all([read(), read(), read()]);
    expect(asked).toEqual(['now', 'now']);
  });
});

describe('many sources of one namespace', () => {
  const names = (count: number) => Array.from({ length: count }, (_, n) => `s-${String(n)}`);
  const ofShop = (wanted: readonly string[]) => wanted.map((name) => ({ kind: 'ConfigMap' as const, name }));
  const missingNames = () =>
    names(1_000).filter(
      (name) => index.get({ kind: 'ConfigMap', namespace: 'shop', name })?.content === 'metadata-only',
    ).length;

  /** The namespace has this many sources, and a list has shown all of them. */
  function has(count: number): void {
    stored = names(count).map((name) => sourceRecord({ name, uid: `uid-${name}` }));
    for (const { name, uid } of stored) sink().upsert(listedRecord({ name, uid }), 'list');
  }

  beforeEach(() => {
    find = (name) => stored.find((source) => source.name === name);
  });

  it('is read by one list, and nothing by its name', async () => {
    has(100);
    await contents.read('shop', ofShop(names(65)));
    expect(asked).toEqual(['ConfigMap of shop']);
    expect(missingNames()).toBe(0);
    expect(reported).toHaveLength(100);
  });

  it.each([
    ['64 of a hundred', 100, 64],
    ['an eighth of a thousand', 1_000, 125],
  ])('is not %s', async (_what, all, wanted) => {
    has(all);
    await contents.read('shop', ofShop(names(wanted)));
    expect(asked).toHaveLength(wanted);
    expect(asked).not.toContain('ConfigMap of shop');
  });

  it('may be read one by one', async () => {
    has(200);
    for (const name of names(70)) await contents.read('shop', ofShop([name]));
    expect(asked).toHaveLength(65);
    expect(asked.at(-1)).toBe('ConfigMap of shop');
    expect(missingNames()).toBe(0);
  });

  it('is counted anew in a namespace of which nothing was read for long', async () => {
    has(200);
    for (const name of names(60)) await contents.read('shop', ofShop([name]));
    // Namespaces are created and deleted: old ones must take no memory.
    find = () => undefined;
    for (let each = 0; each < budgets.readNamespacesBytes / 150; each++) {
      sink().upsert(listedRecord({ namespace: `gone-${each}`, name: 'app', uid: `uid-${each}` }), 'watch');
      await contents.read(`gone-${each}`, ofShop(['app']));
    }
    find = (name) => stored.find((source) => source.name === name);
    asked.length = 0;
    for (const name of names(130).slice(60, 120)) await contents.read('shop', ofShop([name]));
    expect(asked).not.toContain('ConfigMap of shop');
  });

  it('are taken if the index has the same version, and read by name if they have changed', async () => {
    has(66);
    stored[0] = sourceRecord({ name: 's-0', uid: 'uid-s-0', resourceVersion: '2', data: blue });
    meanwhile = () => sink().upsert(sourceRecord({ name: 's-1', uid: 'uid-s-1', resourceVersion: '3' }), 'watch');
    await contents.read('shop', ofShop(names(66)));
    expect(asked.slice(0, 2)).toEqual(['ConfigMap of shop', 'now']);
    expect(index.get({ kind: 'ConfigMap', namespace: 'shop', name: 's-0' })).toMatchObject({ resourceVersion: '2' });
    expect(index.get({ kind: 'ConfigMap', namespace: 'shop', name: 's-1' })).toMatchObject({ resourceVersion: '3' });
  });
});
