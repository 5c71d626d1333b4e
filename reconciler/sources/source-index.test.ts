import { beforeEach, describe, expect, it } from '@jest/globals';
import { budgets } from '../../shared/domain/budgets';
import { sourceKey, type DigestedSource, type SourceRecord } from '../../shared/domain/sources/source';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { appConfig, at, contentOf, listedRecord, sourceRecord } from '../../shared/domain/plan/records.fixture';
import { SourceIndex, type SourceChange, type SourceIndexListener } from './source-index';

const tenMinutesMs = 10 * 60_000;
const red = { color: 'red' };
const blue = { color: 'blue' };
const uid = '0f8fad5b-d9cb-469f-a165-70867728950e';

let clock: FakeClock;
let changes: SourceChange[];
let inconsistencies: string[];
let index: SourceIndex;
const listener: SourceIndexListener = {
  onChange: (change) => void changes.push(change),
  onInconsistency: (source) => void inconsistencies.push(sourceKey(source)),
  onListed: () => undefined,
};

beforeEach(() => {
  clock = new FakeClock();
  changes = [];
  inconsistencies = [];
  index = new SourceIndex(clock, listener);
});

function see(record: Parameters<typeof sourceRecord>[0], origin: 'list' | 'watch' = 'watch'): DigestedSource {
  const seen = sourceRecord(record);
  index.sink(seen.kind, undefined, () => undefined).upsert(seen, origin);
  return seen;
}

function remove(key = 'shop/app', uid?: string, resourceVersion?: string): void {
  index.sink('ConfigMap', undefined, () => undefined).remove(key, uid, resourceVersion);
}

/** The colour that was in force `seconds` after the clock's start; `none`: no such object. */
function colorAt(seconds: number): string {
  return colorOf(index.inForceAt(appConfig, at(seconds)));
}

function colorOf(state: ReturnType<SourceIndex['inForceAt']>): string {
  if (state === 'unknown' || state === 'metadata-only') return state;
  if (!state.content) return 'none';
  const { content } = state;
  return ['red', 'blue', 'green'].find((color) => content.equals(contentOf({ color }))) ?? 'other';
}

describe('the state in force', () => {
  interface Write {
    /** When it is seen. The API server's timestamp is the same unless `written` differs. */
    readonly at: number;
    readonly color?: string;
    readonly gone?: true;
    readonly uid?: string;
    readonly created?: number;
    readonly written?: number | null;
    readonly origin?: 'list';
  }
  const history: readonly { when: string; writes: readonly Write[]; then: Readonly<Record<number, string>> }[] = [
    { when: 'never seen', writes: [], then: { 0: 'none' } },
    {
      when: 'created and left alone',
      writes: [{ at: 10, color: 'red', created: 10 }],
      // A workload created in the same second cannot have started its pods without it.
      then: { 9: 'none', 10: 'red', 11: 'red', [Infinity]: 'red' },
    },
    {
      when: 'gone, and found by a list after it was created again and edited',
      writes: [
        { at: 0, color: 'red', created: 0, origin: 'list' },
        { at: 5, gone: true },
        { at: 30, color: 'blue', uid: 'second', created: 16, written: 20, origin: 'list' },
      ],
      // Nobody saw the content at its creation.
      then: { 4: 'red', 10: 'none', 18: 'unknown', 25: 'blue' },
    },
    {
      when: 'changed: before, within the same second, after',
      writes: [
        { at: 0, color: 'red', created: -100, written: -100 },
        { at: 20, color: 'blue' },
      ],
      then: { 19: 'red', 20: 'red', 20.9: 'red', 21: 'blue', [Infinity]: 'blue', [-100]: 'red', [-101]: 'none' },
    },
    {
      when: 'changed twice within one second: the older state, at worst one restart too many',
      writes: [
        { at: 0, color: 'red', created: -100 },
        { at: 20.2, color: 'blue', written: 20 },
        { at: 20.4, color: 'green', written: 20 },
      ],
      then: { 20: 'red', 21: 'green' },
    },
    {
      when: 'changed and changed back',
      writes: [
        { at: 0, color: 'red', created: -100 },
        { at: 20, color: 'blue' },
        { at: 30, color: 'red' },
      ],
      then: { 19: 'red', 21: 'blue', 30: 'blue', 31: 'red' },
    },
    {
      when: 'deleted',
      writes: [
        { at: 0, color: 'red', created: -100 },
        { at: 20, gone: true },
      ],
      then: { 19: 'red', 20: 'red', 21: 'none', [Infinity]: 'none', [-101]: 'unknown' },
    },
    {
      when: 'deleted and created again',
      writes: [
        { at: 0, color: 'red', created: -100 },
        { at: 20, gone: true },
        { at: 30, color: 'blue', uid: 'second', created: 30 },
      ],
      then: { 19: 'red', 25: 'none', 29: 'none', 30: 'blue', 31: 'blue' },
    },
    {
      when: 'replaced by another of the same name while nobody saw the deletion',
      writes: [
        { at: 0, color: 'red', created: -100 },
        { at: 30, color: 'blue', uid: 'second', created: 25, written: 25 },
      ],
      then: { 25: 'red', 26: 'blue' },
    },
    {
      when: 'seen in a list, written since its creation: what it was before is not known',
      writes: [{ at: 0, color: 'red', created: -100, written: -50, origin: 'list' }],
      then: { [-60]: 'unknown', [-101]: 'unknown', [-50]: 'unknown', [-49]: 'red' },
    },
    {
      when: 'shown first by a watch, for a label that it was given long after its creation',
      writes: [{ at: 0, color: 'red', created: -100, written: -50 }],
      then: { [-60]: 'unknown', [-50]: 'unknown', [-49]: 'red' },
    },
    {
      when: 'seen in a list, with no time kept of its writes',
      writes: [{ at: 0, color: 'red', created: -100, written: null, origin: 'list' }],
      then: { [-101]: 'none', [-99]: 'red' },
    },
    {
      when: 'changed by a write that leaves no time: dated by our own clock',
      writes: [
        { at: 0, color: 'red', created: -100, written: -50 },
        { at: 20.5, color: 'blue', written: null },
      ],
      then: { 19: 'red', 20: 'red', 21: 'blue' },
    },
    {
      when: 'changed by a write that takes the newest time away with a field manager',
      writes: [
        { at: 0, color: 'red', created: -100, written: -10 },
        { at: 20, color: 'blue', written: -50 },
      ],
      then: { 19: 'red', 20: 'red', 21: 'blue' },
    },
  ];

  for (const { when, writes, then } of history) {
    it(when, async () => {
      for (const { at: second, color, gone, uid, created, written, origin } of writes) {
        await clock.advance(at(second) - clock.nowMs());
        if (gone) remove();
        else
          see(
            {
              data: { color: color ?? '' },
              createdAtMs: at(created ?? -100),
              writtenAtMs: written === null ? undefined : at(written ?? second),
              ...(uid !== undefined && { uid }),
            },
            origin,
          );
      }
      const found = Object.keys(then).map((second) => [second, colorAt(Number(second))]);
      expect(Object.fromEntries(found)).toEqual(then);
    });
  }

  it.each<[string, Partial<DigestedSource>, 'list' | 'watch' | 'read', number]>([
    ['leaves no time: dated by our own clock', { writtenAtMs: at(-50) }, 'watch', 40],
    ['came with another write: dated by that', { writtenAtMs: at(20) }, 'watch', 20],
    [
      'may be later than the newest write that a list shows: dated by our own clock',
      { writtenAtMs: at(20) },
      'list',
      40,
    ],
    ['may be later than the newest write that a read shows', { writtenAtMs: at(20) }, 'read', 40],
  ])('of a removal that %s', async (_which, options, origin, second) => {
    see({ data: { color: 'red', size: 'small' }, createdAtMs: at(-100), writtenAtMs: at(-50) });
    await clock.advance(40_000);
    const left = { data: red, createdAtMs: at(-100), ...options };
    if (origin === 'read') index.learn(sourceRecord(left));
    else see(left, origin);
    const keysAt = (time: number): unknown => {
      const state = index.inForceAt(appConfig, at(time));
      return state === 'unknown' || state === 'metadata-only' ? state : state.content?.keyNames;
    };
    expect([second, second + 1].map(keysAt)).toEqual([['color', 'size'], ['color']]);
  });

  it.each([
    ['what a ConfigMap was created with, for pods wait for it', 'ConfigMap', [true, true]],
    ['nothing of a class that was first rotated then, for pods start before', 'SecretProviderClass', [false, true]],
  ] as const)('is, at the second of the beginning, %s', (_what, kind, isThere) => {
    see({ kind, data: red, createdAtMs: at(10), writtenAtMs: at(10) });
    const states = [10, 11].map((second) => index.inForceAt({ kind, namespace: 'shop', name: 'app' }, at(second)));
    expect(states.map((state) => typeof state === 'object' && state.content !== undefined)).toEqual(isThere);
  });

  it('is not moved by writes that change no content', async () => {
    see({ createdAtMs: at(-100), writtenAtMs: at(-100) });
    await clock.advance(20_000);
    see({ createdAtMs: at(-100), writtenAtMs: at(20) });
    await clock.advance(10_000);
    see({ data: blue, createdAtMs: at(-100), writtenAtMs: at(30) });
    expect([15, 25, 31].map(colorAt)).toEqual(['red', 'red', 'blue']);
  });

  it.each(['ignore', 'match'] as const)(
    'counts from the write that turned %s, for who came before it',
    async (flag) => {
      see({ createdAtMs: at(-100), [flag]: flag === 'ignore' });
      await clock.advance(20_000);
      see({ data: blue, createdAtMs: at(-100), writtenAtMs: at(20), [flag]: flag === 'ignore' });
      await clock.advance(10_000);
      see({ data: blue, createdAtMs: at(-100), writtenAtMs: at(30), [flag]: flag === 'match' });
      expect(colorOf(index.inForceAt(appConfig, at(10), flag === 'match'))).toBe('blue');
      // A workload that does not search has used the source all the time.
      if (flag === 'match') expect(colorAt(10)).toBe('red');
    },
  );

  it('counts from when it was seen that an annotation was taken off, which leaves no time', async () => {
    const times = { createdAtMs: at(-100), writtenAtMs: at(20), data: blue };
    see({ createdAtMs: at(-100), ignore: true });
    await clock.advance(20_000);
    see({ ...times, ignore: true });
    await clock.advance(40_000);
    see(times);
    expect(colorAt(10)).toBe('blue');
    see({ ...times, data: red, writtenAtMs: at(70) });
    expect(colorAt(10)).toBe('blue');
  });

  it.each([
    ['it lost a key, which leaves no time', { color: 'red', size: 'small' }, 'unknown'],
    ['it is as it was', red, 'red'],
  ])(
    'of a source that is selected again tells what it held meanwhile as far as that is known: %s',
    async (_when, data, state) => {
      see({ name: 'app', uid, createdAtMs: at(0), writtenAtMs: at(0), data });
      await clock.advance(30_000);
      remove();
      await clock.advance(30_000);
      see({ name: 'app', uid, createdAtMs: at(0), writtenAtMs: at(0), data: red });
      expect([colorAt(40), colorAt(70)]).toEqual([state, 'red']);
    },
  );

  it('counts from no later than the next write, however late it was seen', async () => {
    const times = { createdAtMs: at(-100), writtenAtMs: at(-100) };
    see({ ...times, ignore: true });
    await clock.advance(60_000);
    see(times);
    see({ ...times, data: blue, writtenAtMs: at(30) });
    expect(colorAt(10)).toBe('red');
    see({ ...times, data: red, writtenAtMs: at(31) });
    expect(colorAt(10)).toBe('red');
  });

  it('is known for each of many quick changes, and no longer for those beyond the last 32', async () => {
    see({ data: red, createdAtMs: at(-100), writtenAtMs: at(0) });
    for (let n = 1; n <= 40; n++) {
      await clock.advance(1_000);
      see({ data: { color: String(n) }, createdAtMs: at(-100), writtenAtMs: at(n) });
    }
    const known = (second: number): unknown => {
      const state = index.inForceAt(appConfig, at(second));
      return state === 'unknown' || state === 'metadata-only'
        ? state
        : state.content?.equals(contentOf({ color: String(second - 1) }));
    };
    // States 8 to 39 are previous ones; 40 is the current one.
    expect([8, 9, 10, 40, 41].map(known)).toEqual(['unknown', true, true, true, true]);
  });

  describe('where there is no room for all of the past', () => {
    /** Data that shares no key names with other sources, so that its previous state takes more than 10 KB. */
    const large = (salt: number): Record<string, string> =>
      Object.fromEntries(
        Array.from({ length: 200 }, (_, key) => [`${String(salt)}-${String(key)}-${'k'.repeat(40)}`, '']),
      );
    const flood = (namespace: string, sources: number): void => {
      for (let source = 0; source < sources; source++) {
        for (const version of [1, 2]) {
          const record = { namespace, name: `f${String(source)}`, resourceVersion: String(version) };
          see({ ...record, data: large(2 * source + version), createdAtMs: at(-100), writtenAtMs: at(version) });
        }
      }
    };

    it('is unknown, and not taken for what it was not: what was deleted was there', () => {
      see({ data: red, createdAtMs: at(-100) });
      remove();
      see({ data: blue, uid: 'again', createdAtMs: at(20), writtenAtMs: at(20) });
      expect(colorAt(-10)).toBe('red');
      flood('shop', 300);
      expect(colorAt(-10)).toBe('unknown');
      expect(colorAt(30)).toBe('blue');
    });

    it('is that of the namespace that takes the room, and that takes no more than its share: others remember', () => {
      see({ data: red, createdAtMs: at(-100), writtenAtMs: at(-100) });
      see({ data: blue, createdAtMs: at(-100), writtenAtMs: at(5), resourceVersion: '2' });
      flood('tenant', 600);
      expect(colorAt(3)).toBe('red');
      expect(index.count().retainedBytes).toBeLessThan(1.25 * budgets.formerNamespaceBytes);
    });

    it('is forgotten after ten minutes all the same', async () => {
      see({ data: red, createdAtMs: at(-100) });
      remove();
      flood('shop', 300);
      await clock.advance(tenMinutesMs + 1_000);
      see({ name: 'other' });
      expect(colorAt(-10)).toBe('none');
      expect(index.countIn('ConfigMap', 'shop')).toBe(301);
    });
  });
});

describe('an object that was created in the place of another, and is seen at 30 s', () => {
  const second = { uid: 'second', resourceVersion: '9', data: { color: 'blue' }, createdAtMs: at(16) };
  const largeRed = { color: 'red', size: 'large' };
  const list = (): void => {
    index.sink('ConfigMap', undefined, () => undefined).upsert(listedRecord(second), 'list');
  };
  const listAndRead = (): void => {
    list();
    index.learn(sourceRecord(second));
  };

  it.each<[string, Readonly<Record<string, string>>, boolean, () => void, string]>([
    ['with all its keys holds them since its creation', red, false, () => see(second, 'list'), 'blue'],
    ['with all its keys, too, if it was seen to go', red, true, () => see(second, 'list'), 'blue'],
    ['without a key of it may have lost that since', largeRed, false, () => see(second, 'list'), 'unknown'],
    ['without a key of it, too, if it was seen to go', largeRed, true, () => see(second, 'list'), 'unknown'],
    ['without a key of it was created like that if a watch shows it', largeRed, true, () => see(second), 'blue'],
    ['and is not read is not known', largeRed, false, list, 'metadata-only'],
    ['and is read without a key of it may have lost that since', largeRed, false, listAndRead, 'unknown'],
    ['and is read with all its keys holds them since its creation', red, false, listAndRead, 'blue'],
  ])('%s', async (_what, data, isGone, show, then) => {
    see({ data, createdAtMs: at(-100) });
    if (isGone) remove();
    await clock.advance(30_000);
    show();
    expect([colorAt(25), colorAt(31)]).toEqual([then, then === 'metadata-only' ? then : 'blue']);
  });

  it('may have lost a key if it is edited before anybody has read it', async () => {
    see({ data: largeRed, createdAtMs: at(-100) });
    await clock.advance(30_000);
    list();
    await clock.advance(30_000);
    see({ ...second, resourceVersion: '12', writtenAtMs: at(60) });
    index.learnPast(appConfig, { version: '9', until: '12' }, contentOf(second.data));
    expect([colorAt(25), colorAt(31), colorAt(61)]).toEqual(['unknown', 'blue', 'blue']);
  });

  it('may have lost a key if it has so many that they are not told apart', async () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`key-${n}`, 'red']));
    see({ data: many(3_000), createdAtMs: at(-100) });
    await clock.advance(30_000);
    see({ ...second, data: many(2_999) }, 'list');
    expect([colorAt(25), colorAt(31)]).toEqual(['unknown', 'other']);
  });

  it('may have lost a key once only: the next edit leaves its time', async () => {
    see({ data: largeRed, createdAtMs: at(-100) });
    await clock.advance(30_000);
    listAndRead();
    await clock.advance(30_000);
    see({ ...second, resourceVersion: '12', data: { color: 'green' }, writtenAtMs: at(60) });
    expect([colorAt(25), colorAt(31), colorAt(61)]).toEqual(['unknown', 'blue', 'green']);
  });
});

describe('the past', () => {
  const former = (color: string) => index.formerContent(appConfig, contentOf({ color }).whole());

  it('is found by its whole digest', async () => {
    see({ data: red });
    await clock.advance(1_000);
    see({ data: blue, writtenAtMs: at(1) });
    expect(former('red')).toEqual(contentOf(red));
    expect(former('blue')).toBeUndefined();
    expect(former('green')).toBeUndefined();
    expect(
      index.formerContent({ kind: 'ConfigMap', namespace: 'shop', name: 'other' }, contentOf(red).whole()),
    ).toBeUndefined();
  });

  it('of a deleted source is found too', () => {
    see({ data: red });
    remove();
    expect(former('red')).toEqual(contentOf(red));
  });

  it.each([
    ['it holds now for the first time', ['red', 'blue'], 'blue', false],
    ['it never held', ['red', 'blue'], 'green', false],
    ['it held before the current one', ['red', 'blue'], 'red', true],
    ['it has returned to', ['red', 'blue', 'red'], 'red', true],
    ['it holds since a write of labels too', ['red', 'red'], 'red', false],
  ] as const)('tells whether it held a content before: one that %s', (_what, colors, asked, isHeldBefore) => {
    for (const [second, color] of colors.entries()) see({ data: { color }, writtenAtMs: at(second) });
    expect(index.heldBefore(appConfig, contentOf({ color: asked }).whole())).toBe(isHeldBefore);
  });

  it('is forgotten ten minutes after it ended, at the next event of any source', async () => {
    see({ data: red });
    see({ data: blue, writtenAtMs: at(0) });
    await clock.advance(tenMinutesMs);
    see({ name: 'other' });
    expect(former('red')).toBeDefined();
    await clock.advance(1);
    see({ name: 'another' });
    expect(former('red')).toBeUndefined();
    expect(colorAt(Infinity)).toBe('blue');
    expect(colorAt(-1)).toBe('unknown');
  });

  it('of a source that changed again since is kept with it, whatever else is forgotten', async () => {
    see({ data: red });
    see({ data: blue, writtenAtMs: at(0) });
    see({ data: red, name: 'quiet' });
    see({ data: blue, name: 'quiet', writtenAtMs: at(0) });
    await clock.advance(tenMinutesMs);
    see({ data: { color: 'green' }, writtenAtMs: at(600) });
    await clock.advance(1_000);
    see({ name: 'other' });
    expect(former('blue')).toBeDefined();
    const quiet = contentOf(red, 'ConfigMap', 'quiet').whole();
    expect(index.formerContent({ kind: 'ConfigMap', namespace: 'shop', name: 'quiet' }, quiet)).toBeUndefined();
  });

  it('of a source that stays deleted is forgotten as a whole', async () => {
    see({ data: red, createdAtMs: at(-100) });
    remove();
    expect(colorAt(-101)).toBe('unknown');
    await clock.advance(tenMinutesMs + 1);
    see({ name: 'other' });
    expect(colorAt(-50)).toBe('none');
  });
});

describe('a restore of etcd', () => {
  it('leaves only what was written before it', () => {
    see({ name: 'app', resourceVersion: '20' });
    see({ name: 'older', resourceVersion: '10' });
    see({ name: 'deleted', resourceVersion: '9' });
    remove('shop/deleted');
    see({ kind: 'SecretProviderClass', name: 'vault', resourceVersion: '20' });
    changes.length = 0;
    index.restored('15');
    const { kind, namespace } = appConfig;
    const isKnown = (name: string): boolean => index.get({ kind, namespace, name }) !== undefined;
    expect(['app', 'older', 'deleted'].map(isKnown)).toEqual([false, true, false]);
    expect(index.lastKnownFlags({ kind, namespace, name: 'deleted' })).toBeUndefined();
    expect(index.get({ kind: 'SecretProviderClass', namespace, name: 'vault' })).toBeDefined();
    expect(changes).toEqual([]);
  });

  it('lets a content that was undone not count as one that was there since', () => {
    see({ createdAtMs: at(-600), resourceVersion: '10', data: red });
    see({ createdAtMs: at(-600), resourceVersion: '20', data: blue });
    index.restored('15');
    see({ createdAtMs: at(-600), writtenAtMs: at(30), resourceVersion: '30', data: blue }, 'list');
    expect([colorAt(10), colorAt(31)]).toEqual(['unknown', 'blue']);
  });
});

describe('what was seen first', () => {
  const firstSeen = () => index.firstSeen(appConfig);

  it('is what it held then, however often it was edited', () => {
    expect(firstSeen()).toBeUndefined();
    see({ data: red, writtenAtMs: at(-1) });
    expect(firstSeen()).toEqual(contentOf(red));
    see({ data: blue, writtenAtMs: at(0) });
    expect(firstSeen()).toEqual(contentOf(red));
  });

  it('is what it came back with, not what it was before', () => {
    see({ data: red });
    remove();
    expect(firstSeen()).toBeUndefined();
    see({ data: blue, writtenAtMs: at(0) });
    see({ data: { color: 'green' }, writtenAtMs: at(1) });
    expect(firstSeen()).toEqual(contentOf(blue));
  });

  it.each([
    ['a source that was edited since', blue, 'unknown'],
    ['one that was not', red, contentOf(red)],
  ])('is forgotten with the past of %s', async (_which, data, expected) => {
    see({ data: red, uid });
    remove();
    see({ data: red, uid });
    if (data !== red) see({ data, uid, writtenAtMs: at(0) });
    await clock.advance(tenMinutesMs + 1);
    see({ name: 'other' });
    expect(firstSeen()).toEqual(expected);
    see({ data: { color: 'green' }, uid, writtenAtMs: at(601), resourceVersion: '3' });
    expect(firstSeen()).toEqual(expected);
  });
});

describe('changes', () => {
  const reported = (): readonly string[] =>
    changes.map(({ before, after }) => `${before?.uid ?? '-'} ${after?.uid ?? '-'}`);

  it('are reported when a source is created, changed and deleted', () => {
    see({ data: red });
    see({ data: blue });
    remove();
    expect(reported()).toEqual(['- uid-app', 'uid-app uid-app', 'uid-app -']);
    expect(changes[1]?.before?.content).toEqual(contentOf(red));
    expect(changes[1]?.after?.content).toEqual(contentOf(blue));
  });

  it.each([
    ['another version', { resourceVersion: '2', writtenAtMs: at(5) }, 0],
    ['another object of that name with the same content', { uid: 'second' }, 1],
    ['an ignore that is new', { ignore: true }, 1],
    ['a match that is new', { match: true }, 1],
  ])('of %s are reported %#', (_what, second, expected) => {
    see({});
    changes.length = 0;
    see(second);
    expect(changes).toHaveLength(expected);
  });

  it('are not reported for the deletion of an earlier object that arrives late', () => {
    see({ data: red, uid: 'second' });
    remove('shop/app', 'first');
    expect(reported()).toEqual(['- second']);
    remove('shop/app', 'second');
    expect(reported()).toEqual(['- second', 'second -']);
  });

  it('are not reported for what is removed twice or never existed', () => {
    see({});
    remove();
    remove();
    remove('shop/other');
    expect(changes).toHaveLength(2);
  });

  it('leave the newest record, whatever it changed', () => {
    see({});
    const newest = see({ resourceVersion: '7' });
    expect(index.get(appConfig)).toBe(newest);
    remove();
    expect(index.get(appConfig)).toBeUndefined();
  });
});

describe('scopes', () => {
  beforeEach(() => {
    see({ name: 'a' });
    see({ name: 'b' });
    see({ name: 'a', namespace: 'bank' });
    see({ name: 's', kind: 'Secret' });
    remove('shop/b');
  });

  it.each([
    ['ConfigMap', undefined, ['bank/a', 'shop/a']],
    ['ConfigMap', 'shop', ['shop/a']],
    ['ConfigMap', 'sho', []],
    ['Secret', undefined, ['shop/s']],
    ['Secret', 'bank', []],
  ] as const)('a reflector of %s in %s holds what is there of it', (kind, namespace, keys) => {
    expect([...index.sink(kind, namespace, () => undefined).keys()].toSorted()).toEqual(keys);
  });

  it('lists a namespace for patterns', () => {
    expect([...index.namesIn('ConfigMap', 'shop')]).toEqual(['a']);
    expect([...index.namesIn('Secret', 'nowhere')]).toEqual([]);
  });

  it('reports that a list is complete', () => {
    let synced = 0;
    index.sink('ConfigMap', undefined, () => synced++).synced();
    expect(synced).toBe(1);
  });
});

describe('a state that was read', () => {
  const contentNow = () => index.get(appConfig)?.content;

  beforeEach(() => {
    see({ data: red, resourceVersion: '9' });
    index.learn(sourceRecord({ data: blue, resourceVersion: '11', writtenAtMs: at(5) }));
    changes = [];
  });

  it('is the current state', () => {
    expect(contentNow()).toEqual(contentOf(blue));
    expect(colorAt(6)).toBe('blue');
  });

  it('is not reverted by a watch that lags behind', () => {
    see({ data: { color: 'green' }, resourceVersion: '10' });
    expect(contentNow()).toEqual(contentOf(blue));
    expect(changes).toEqual([]);
    expect(inconsistencies).toEqual([]);
  });

  it('is not removed by an earlier deselection', () => {
    remove('shop/app', 'uid-app', '10');
    expect(contentNow()).toEqual(contentOf(blue));
    expect(changes).toEqual([]);
    remove('shop/app', 'uid-app', '12');
    expect(contentNow()).toBeUndefined();
  });

  it('is followed by what the watch shows next', () => {
    see({ data: blue, resourceVersion: '11' });
    see({ data: red, resourceVersion: '12' });
    expect(contentNow()).toEqual(contentOf(red));
    expect(changes).toHaveLength(1);
  });

  it('overrides nothing once the watch has shown it', () => {
    see({ data: blue, resourceVersion: '11' });
    // A restored backup issues old versions again.
    see({ data: red, resourceVersion: '3' });
    expect(contentNow()).toEqual(contentOf(red));
  });

  it('is reported as inconsistent when a list shows an older one, or none, and stays until another read', () => {
    see({ data: red, resourceVersion: '10' }, 'list');
    remove();
    expect(contentNow()).toEqual(contentOf(blue));
    expect(changes).toEqual([]);
    expect(inconsistencies).toEqual(['ConfigMap shop/app', 'ConfigMap shop/app']);
  });

  it('is replaced by another read, whatever its version', () => {
    index.learn(sourceRecord({ data: red, resourceVersion: '3' }));
    expect(contentNow()).toEqual(contentOf(red));
    index.learnAbsence(appConfig);
    expect(contentNow()).toBeUndefined();
  });

  it('is removed when a watch shows the deletion', () => {
    remove('shop/app', 'uid-app');
    expect(contentNow()).toBeUndefined();
  });
});

describe('a source that a read by name did not find', () => {
  const shown = () => index.get(appConfig)?.content;

  beforeEach(() => {
    see({ data: red, resourceVersion: '10' });
    index.learnAbsence(appConfig);
    changes = [];
  });

  it('stays deleted while a watch that lags shows its last edits', () => {
    see({ data: blue, resourceVersion: '11' });
    remove('shop/app', 'uid-app', '12');
    expect([shown(), changes]).toEqual([undefined, []]);
  });

  it('is there again as another object', () => {
    see({ data: blue, resourceVersion: '14', uid: 'uid-2' });
    expect(shown()).toEqual(contentOf(blue));
  });

  it('is read again if a list shows it, as after a restore of etcd', () => {
    see({ data: blue, resourceVersion: '11' }, 'list');
    expect([shown(), inconsistencies]).toEqual([undefined, ['ConfigMap shop/app']]);
    index.learn(sourceRecord({ data: blue, resourceVersion: '11' }));
    expect(shown()).toEqual(contentOf(blue));
  });

  it('may be selected again by its labels if there is a selector', () => {
    index = new SourceIndex(clock, listener, { isEverything: false });
    see({ data: red, resourceVersion: '10' });
    index.learnAbsence(appConfig);
    see({ data: blue, resourceVersion: '11' });
    expect(shown()).toEqual(contentOf(blue));
  });
});

describe('what a source held at the birth of a workload', () => {
  const heldAt = (seconds: number): string => colorOf(index.heldAtBirth(appConfig, at(seconds)));

  it('is not known for the second of a change, and is not changed by later ones', () => {
    see({ data: red, createdAtMs: at(0) });
    see({ data: blue, createdAtMs: at(0), resourceVersion: '2', writtenAtMs: at(20) });
    expect([-1, 0, 19, 20, 21].map(heldAt)).toEqual(['none', 'red', 'red', 'unknown', 'blue']);
  });
});

describe('what is not read', () => {
  const before = { createdAtMs: at(-100), writtenAtMs: at(-50) };
  const contentNow = () => index.get(appConfig)?.content;
  const unresolved = () => index.unresolved(appConfig);
  const first = () => index.firstContent(appConfig);
  const former = (color: string) => index.formerContent(appConfig, contentOf({ color }).whole());

  function list(record: Parameters<typeof sourceRecord>[0] = {}): SourceRecord {
    const listed = listedRecord({ ...before, ...record });
    index.sink('ConfigMap', undefined, () => undefined).upsert(listed, 'list');
    return listed;
  }

  function read(record: Parameters<typeof sourceRecord>[0] = {}): void {
    index.learn(sourceRecord({ ...before, ...record }));
  }

  function learnPast(data: Readonly<Record<string, string>> | 'unknown', past = { version: '1', until: '2' }): void {
    index.learnPast(appConfig, past, data === 'unknown' ? data : contentOf(data));
  }

  describe('of a source that is there', () => {
    beforeEach(() => {
      list();
      changes = [];
    });

    it('is its content, and all that is decided by it', () => {
      expect(contentNow()).toBe('metadata-only');
      expect(unresolved()).toEqual({ past: [], now: listedRecord(before) });
      expect([colorAt(-49), colorAt(Infinity)]).toEqual(['metadata-only', 'metadata-only']);
    });

    it('is not what was before it, nor anything of a source that there is not', () => {
      expect([colorAt(-50), colorAt(-101), first()]).toEqual(['unknown', 'unknown', 'unknown']);
      expect(former('red')).toBeUndefined();
      expect(index.unresolved({ kind: 'ConfigMap', namespace: 'shop', name: 'other' })).toEqual({
        past: [],
        now: undefined,
      });
    });

    it.each([
      ['a read', () => read()],
      ['a watch event', () => void see(before)],
      ['a list of whole objects', () => void see(before, 'list')],
    ])('is filled in by %s of the same version, which is no change', async (_what, show) => {
      await clock.advance(20_000);
      show();
      expect(contentNow()).toEqual(contentOf(red));
      expect([colorAt(-50), colorAt(-49), unresolved().now]).toEqual(['unknown', 'red', undefined]);
      expect(changes).toEqual([]);
    });

    it.each([
      ['a read', () => read({ data: blue, resourceVersion: '2', writtenAtMs: at(20) })],
      ['a watch event', () => void see({ ...before, data: blue, resourceVersion: '2', writtenAtMs: at(20) })],
    ])('becomes a past version by %s of another, which is a change', async (_what, show) => {
      await clock.advance(20_000);
      show();
      expect(changes).toMatchObject([{ before: { content: 'metadata-only' }, after: { content: contentOf(blue) } }]);
      expect(unresolved()).toEqual({ past: [{ version: '1', until: '2' }], now: undefined });
      expect([colorAt(20), former('red'), former('blue')]).toEqual(['metadata-only', 'metadata-only', 'metadata-only']);
      learnPast(red);
      expect([colorAt(20), colorAt(21)]).toEqual(['red', 'blue']);
      expect([former('red'), former('blue')]).toEqual([contentOf(red), undefined]);
      expect(unresolved().past).toEqual([]);
    });

    it('becomes a past version by a list of another, and so does that', async () => {
      await clock.advance(20_000);
      list({ resourceVersion: '2', writtenAtMs: at(20) });
      list({ resourceVersion: '4', writtenAtMs: at(20) });
      expect(changes).toHaveLength(2);
      expect(unresolved()).toMatchObject({
        past: [
          { version: '1', until: '2' },
          { version: '2', until: '4' },
        ],
        now: { resourceVersion: '4' },
      });
    });

    it.each([
      ['the same version of another time', { writtenAtMs: at(-60) }],
      ['an older version', { resourceVersion: '0' }],
    ])('has no past to be read where a restored backup shows %s', (_what, restored) => {
      const now = list(restored);
      expect(changes).toHaveLength(1);
      expect(unresolved()).toEqual({ past: [], now });
    });

    it('becomes a past version by its deletion', () => {
      remove('shop/app', 'uid-app', '2');
      expect(unresolved()).toEqual({ past: [{ version: '1', until: '2' }], now: undefined });
      expect([colorAt(-49), colorAt(0), former('red'), colorAt(1)]).toEqual([
        'metadata-only',
        'metadata-only',
        'metadata-only',
        'none',
      ]);
      learnPast(red);
      expect([colorAt(-49), colorAt(0), former('red')]).toEqual(['red', 'red', contentOf(red)]);
    });

    it('is unknown for ever where a list or a read does not show it any more', () => {
      remove();
      expect([unresolved().past, colorAt(0), colorAt(1), former('red')]).toEqual([[], 'unknown', 'none', undefined]);
    });

    it('is learnt of exactly the state that was asked for', () => {
      list({ resourceVersion: '2' });
      list({ resourceVersion: '3' });
      learnPast(red, { version: '2', until: '4' });
      learnPast(red, { version: '1', until: '3' });
      expect(former('red')).toBe('metadata-only');
      learnPast(red, { version: '2', until: '3' });
      expect(unresolved().past).toEqual([{ version: '1', until: '2' }]);
      learnPast(blue, { version: '3', until: '4' });
      expect(contentNow()).toBe('metadata-only');
    });

    it('stays metadata-only, with the newest version that a list shows', () => {
      const again = list();
      expect(index.get(appConfig)).toEqual(again);
      expect(changes).toEqual([]);
      list({ ignore: true });
      expect(index.get(appConfig)?.ignore).toBe(true);
      expect(changes).toHaveLength(1);
    });
  });

  describe('of a source that was read', () => {
    beforeEach(() => {
      see(before);
      changes = [];
    });

    it('is nothing by a list of the same version', () => {
      list();
      expect(contentNow()).toEqual(contentOf(red));
      expect(changes).toEqual([]);
    });

    it.each([
      ['another version', { resourceVersion: '2' }],
      ['the same version of another time, as a restored backup gives it out', { writtenAtMs: at(-60) }],
      ['the same version of another object', { uid: 'second' }],
    ])('is its content by a list of %s, which is a change', (_what, other) => {
      list(other);
      expect(contentNow()).toBe('metadata-only');
      expect(changes).toMatchObject([{ before: { content: contentOf(red) }, after: { content: 'metadata-only' } }]);
      expect([former('red'), unresolved().past]).toEqual([contentOf(red), []]);
    });

    it('is not that of a read with which the watch has not caught up', () => {
      read({ data: blue, resourceVersion: '9' });
      list({ resourceVersion: '8' });
      expect(contentNow()).toEqual(contentOf(blue));
      expect(inconsistencies).toEqual(['ConfigMap shop/app']);
    });

    it('has been what it was before, and since then, where nothing but labels were written', async () => {
      await clock.advance(40_000);
      list({ resourceVersion: '2', writtenAtMs: at(40) });
      read({ resourceVersion: '2', writtenAtMs: at(40) });
      await clock.advance(11 * 60_000);
      see({ name: 'other' });
      expect([colorAt(20), colorAt(50)]).toEqual(['red', 'red']);
    });

    it('is dated late until its content tells what changed', async () => {
      await clock.advance(40_000);
      list({ resourceVersion: '2', writtenAtMs: at(20) });
      expect([colorAt(10), colorAt(30), colorAt(41)]).toEqual(['metadata-only', 'metadata-only', 'metadata-only']);
      read({ resourceVersion: '2', data: blue, writtenAtMs: at(20) });
      expect([colorAt(20), colorAt(21)]).toEqual(['red', 'blue']);
    });

    it('is nothing of the past that is known', async () => {
      await clock.advance(20_000);
      see({ ...before, data: blue, resourceVersion: '2', writtenAtMs: at(20) });
      await clock.advance(20_000);
      list({ resourceVersion: '3', writtenAtMs: at(40) });
      expect([former('red'), former('blue'), former('green')]).toEqual([contentOf(red), contentOf(blue), undefined]);
      expect(first()).toBe('unknown');
    });
  });

  describe('where the time does not tell: a write of the second in which the one before was seen', () => {
    const small = { color: 'red', size: 's' };

    beforeEach(async () => {
      list({ writtenAtMs: at(0) });
      await clock.advance(40_000);
    });

    /** Whether the new content is dated by the write at 0 s, rather than by when it was seen. */
    const isEarly = (): unknown => (colorAt(30) === 'metadata-only' ? 'metadata-only' : colorAt(30) === 'blue');

    it.each<[string, Readonly<Record<string, string>> | 'unknown', boolean]>([
      ['it set a key', red, true],
      ['it only removed one', { ...blue, size: 's' }, false],
      ['nobody knows', 'unknown', false],
    ])('%s, as the past shows', (_what, past, expected) => {
      see({ ...before, data: blue, resourceVersion: '2', writtenAtMs: at(0) });
      expect(isEarly()).toBe('metadata-only');
      learnPast(past);
      expect(isEarly()).toBe(expected);
      expect(colorAt(41)).toBe('blue');
    });

    it('the one after it is dated when both are known', async () => {
      see({ ...before, data: small, resourceVersion: '2', writtenAtMs: at(0) });
      await clock.advance(20_000);
      see({ ...before, data: red, resourceVersion: '3', writtenAtMs: at(0) });
      learnPast(blue);
      expect([30, 60, 61].map(colorAt)).toEqual(['other', 'other', 'red']);
    });

    it('a list shows two of which neither is read', async () => {
      list({ resourceVersion: '2', writtenAtMs: at(0) });
      await clock.advance(20_000);
      see({ ...before, data: blue, resourceVersion: '3', writtenAtMs: at(0) });
      learnPast({ color: 'green' });
      expect([30, 61].map(colorAt)).toEqual(['metadata-only', 'metadata-only']);
      learnPast(red, { version: '2', until: '3' });
      expect([1, 30, 61].map(colorAt)).toEqual(['blue', 'blue', 'blue']);
    });
  });

  it('may be what a source was created with', () => {
    list({ writtenAtMs: at(-100) });
    expect([first(), colorAt(-101), colorAt(-100)]).toEqual(['metadata-only', 'none', 'metadata-only']);
    read({ writtenAtMs: at(-100) });
    expect([first(), colorAt(-100)]).toEqual([contentOf(red), 'red']);
  });

  it('is forgotten after ten minutes, and with it that a time depends on it', async () => {
    list();
    see({ ...before, data: blue, resourceVersion: '2', writtenAtMs: at(0) });
    list({ name: 'gone' });
    remove('shop/gone', 'uid-gone', '9');
    await clock.advance(tenMinutesMs + 1);
    expect(colorAt(Infinity)).toBe('metadata-only');
    see({ name: 'other' });
    expect(unresolved()).toEqual({ past: [], now: undefined });
    expect([colorAt(0), colorAt(1), former('red')]).toEqual(['unknown', 'blue', undefined]);
    expect(index.unresolved({ kind: 'ConfigMap', namespace: 'shop', name: 'gone' }).past).toEqual([]);
    learnPast(red);
    expect(colorAt(0)).toBe('unknown');
  });

  it.each([
    ['changed', () => void see({ ...before, data: blue, resourceVersion: '2' })],
    ['went', () => remove('shop/app', 'uid-app', '2')],
    [
      'went, came and was edited',
      () => void see({ uid: 'second', resourceVersion: '2', createdAtMs: at(-9), writtenAtMs: at(-5) }),
    ],
  ])('of a source that has %s is nothing any more once nobody knows what it was', (_what, happen) => {
    list();
    happen();
    learnPast('unknown');
    const answers = [-101, -60, -49, -7, 0, 1, Infinity].map(colorAt);
    expect([...answers, first(), former('red')]).not.toContain('metadata-only');
  });

  it.each([
    ['another change', 33, () => void see({ ...before, data: blue, resourceVersion: '99' })],
    ['its deletion', 33, () => remove('shop/app', 'uid-app', '99')],
    [
      'another of its name that was edited',
      32,
      () => void see({ uid: 'second', resourceVersion: '99', createdAtMs: at(10), writtenAtMs: at(20) }),
    ],
  ])('leaves no time in doubt when it is crowded out by %s', (_what, last, happen) => {
    list();
    for (let n = 2; n <= last; n++) see({ ...before, data: { color: String(n) }, resourceVersion: String(n) });
    expect([unresolved().past, colorAt(-200)]).toEqual([[{ version: '1', until: '2' }], 'metadata-only']);
    happen();
    expect([unresolved().past, colorAt(-200)]).toEqual([[], 'unknown']);
  });

  it('is counted with what is there, and keeps no bytes of content', () => {
    list({ name: 'app' });
    const { sources, retainedBytes } = index.count();
    see({ name: 'app', ...before });
    expect(sources.ConfigMap).toBe(1);
    expect(index.count().retainedBytes).toBe(retainedBytes + contentOf(red).retainedBytes);
  });
});
