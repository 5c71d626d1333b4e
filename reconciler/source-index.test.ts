import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SourceRecord } from '../shared/domain/source';
import { FakeClock } from '../shared/runtime/fake-clock';
import { at, contentOf, sourceRecord } from './records.fixture';
import { SourceIndex, type SourceChange } from './source-index';

const tenMinutesMs = 10 * 60_000;
const red = { color: 'red' };
const blue = { color: 'blue' };

let clock: FakeClock;
let changes: SourceChange[];
let doubts: string[];
let index: SourceIndex;

beforeEach(() => {
  clock = new FakeClock();
  changes = [];
  doubts = [];
  index = new SourceIndex(clock, {
    onChange: (change) => void changes.push(change),
    onDoubt: (...source) => void doubts.push(source.join('/')),
    onListed: () => undefined,
  });
});

function see(record: Parameters<typeof sourceRecord>[0], origin: 'list' | 'watch' = 'watch'): SourceRecord {
  const seen = sourceRecord(record);
  index.sink(seen.kind, undefined, () => undefined).upsert(seen, origin);
  return seen;
}

function remove(key = 'shop/app', uid?: string, resourceVersion?: string): void {
  index.sink('ConfigMap', undefined, () => undefined).remove(key, uid, resourceVersion);
}

/** The colour that was in force `seconds` after the clock's start; `none`: no such object. */
function colorAt(seconds: number): string {
  const state = index.inForceAt('ConfigMap', 'shop', 'app', at(seconds));
  if (state === 'unknown') return 'unknown';
  if (!state.content) return 'none';
  const { content } = state;
  return ['red', 'blue', 'green'].find((color) => content.equals(contentOf({ color }))) ?? 'other';
}

describe('the state in force', () => {
  interface Write {
    /** When it is seen; the API server dates it the same unless `written` says otherwise. */
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
      // A workload of the same second cannot have started its pods without it.
      then: { 9: 'none', 10: 'red', 11: 'red', [Infinity]: 'red' },
    },
    {
      when: 'gone, and found by a list after it was created anew and edited',
      writes: [
        { at: 0, color: 'red', created: 0, origin: 'list' },
        { at: 5, gone: true },
        { at: 30, color: 'blue', uid: 'second', created: 16, written: 20, origin: 'list' },
      ],
      // What it was created with nobody saw.
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

  it.each<[string, Partial<SourceRecord>, 'list' | 'watch' | 'read', number]>([
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
      const state = index.inForceAt('ConfigMap', 'shop', 'app', at(time));
      return state === 'unknown' ? state : state.content?.keyNames;
    };
    expect([second, second + 1].map(keysAt)).toEqual([['color', 'size'], ['color']]);
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
      expect(colorAt(10)).toBe('blue');
    },
  );

  it('is known for each of many quick changes, and no longer for those beyond the last 32', async () => {
    see({ data: red, createdAtMs: at(-100), writtenAtMs: at(0) });
    for (let n = 1; n <= 40; n++) {
      await clock.advance(1_000);
      see({ data: { color: String(n) }, createdAtMs: at(-100), writtenAtMs: at(n) });
    }
    const known = (second: number): unknown => {
      const state = index.inForceAt('ConfigMap', 'shop', 'app', at(second));
      return state === 'unknown' ? state : state.content?.equals(contentOf({ color: String(second - 1) }));
    };
    // States 8 to 39 are former ones; 40 is today's.
    expect([8, 9, 10, 40, 41].map(known)).toEqual(['unknown', true, true, true, true]);
  });
});

describe('the past', () => {
  const former = (color: string) => index.formerContent('ConfigMap', 'shop', 'app', contentOf({ color }).whole());

  it('is found by the digest of its whole', async () => {
    see({ data: red });
    await clock.advance(1_000);
    see({ data: blue, writtenAtMs: at(1) });
    expect(former('red')?.equals(contentOf(red))).toBe(true);
    expect(former('blue')).toBeUndefined();
    expect(former('green')).toBeUndefined();
    expect(index.formerContent('ConfigMap', 'shop', 'other', contentOf(red).whole())).toBeUndefined();
  });

  it('of a deleted source is found too', () => {
    see({ data: red });
    remove();
    expect(former('red')?.equals(contentOf(red))).toBe(true);
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
    expect(index.formerContent('ConfigMap', 'shop', 'quiet', quiet)).toBeUndefined();
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

describe('changes', () => {
  const told = (): readonly string[] =>
    changes.map(({ before, after }) => `${before?.uid ?? '-'} ${after?.uid ?? '-'}`);

  it('are told when a source comes, changes and goes', () => {
    see({ data: red });
    see({ data: blue });
    remove();
    expect(told()).toEqual(['- uid-app', 'uid-app uid-app', 'uid-app -']);
    expect(changes[1]?.before?.content.equals(contentOf(red))).toBe(true);
    expect(changes[1]?.after?.content.equals(contentOf(blue))).toBe(true);
  });

  it.each([
    ['another version', { resourceVersion: '2', writtenAtMs: at(5) }, 0],
    ['another incarnation with the same content', { uid: 'second' }, 1],
    ['an ignore that is new', { ignore: true }, 1],
    ['a match that is new', { match: true }, 1],
  ])('of %s are told %#', (_what, second, expected) => {
    see({});
    changes.length = 0;
    see(second);
    expect(changes).toHaveLength(expected);
  });

  it('are not told for the end of a former one that comes late', () => {
    see({ data: red, uid: 'second' });
    remove('shop/app', 'first');
    expect(told()).toEqual(['- second']);
    remove('shop/app', 'second');
    expect(told()).toEqual(['- second', 'second -']);
  });

  it('are not told for what is removed twice or was never there', () => {
    see({});
    remove();
    remove();
    remove('shop/other');
    expect(changes).toHaveLength(2);
  });

  it('leave the newest record, whatever it changed', () => {
    see({});
    const newest = see({ resourceVersion: '7' });
    expect(index.get('ConfigMap', 'shop', 'app')).toBe(newest);
    remove();
    expect(index.get('ConfigMap', 'shop', 'app')).toBeUndefined();
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
    expect([...index.inNamespace('ConfigMap', 'shop')].map(({ name }) => name)).toEqual(['a']);
    expect([...index.inNamespace('Secret', 'nowhere')]).toEqual([]);
  });

  it('passes on that a list is complete', () => {
    let synced = 0;
    index.sink('ConfigMap', undefined, () => synced++).synced();
    expect(synced).toBe(1);
  });
});

describe('a state that was read', () => {
  const contentNow = () => index.get('ConfigMap', 'shop', 'app')?.content;

  beforeEach(() => {
    see({ data: red, resourceVersion: '9' });
    index.learn(sourceRecord({ data: blue, resourceVersion: '11', writtenAtMs: at(5) }));
    changes = [];
  });

  it('is today’s state', () => {
    expect(contentNow()).toEqual(contentOf(blue));
    expect(colorAt(6)).toBe('blue');
  });

  it('is not taken back by a watch that lags behind it', () => {
    see({ data: { color: 'green' }, resourceVersion: '10' });
    expect(contentNow()).toEqual(contentOf(blue));
    expect(changes).toEqual([]);
    expect(doubts).toEqual([]);
  });

  it('is not ended by a deselection from before it', () => {
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

  it('stands against nothing once the watch has shown it', () => {
    see({ data: blue, resourceVersion: '11' });
    // A restored backup gives out old versions anew.
    see({ data: red, resourceVersion: '3' });
    expect(contentNow()).toEqual(contentOf(red));
  });

  it('is doubted when a list shows an older one, or none, and stays until the doubt is resolved', () => {
    see({ data: red, resourceVersion: '10' }, 'list');
    remove();
    expect(contentNow()).toEqual(contentOf(blue));
    expect(changes).toEqual([]);
    expect(doubts).toEqual(['ConfigMap/shop/app', 'ConfigMap/shop/app']);
  });

  it('gives way to another read, whatever its version', () => {
    index.learn(sourceRecord({ data: red, resourceVersion: '3' }));
    expect(contentNow()).toEqual(contentOf(red));
    index.learnAbsence('ConfigMap', 'shop', 'app');
    expect(contentNow()).toBeUndefined();
  });

  it('ends with the object, as a watch tells', () => {
    remove('shop/app', 'uid-app');
    expect(contentNow()).toBeUndefined();
  });
});

describe('another namespace', () => {
  it('has a source of that kind and name, or has had', () => {
    see({ name: 'app' });
    see({ kind: 'Secret', name: 'app', namespace: 'bank' });
    expect(index.isElsewhere('ConfigMap', 'shop', 'app')).toBe(false);
    expect(index.isElsewhere('Secret', 'shop', 'app')).toBe(true);
    index.sink('Secret', undefined, () => undefined).remove('bank/app', undefined);
    expect(index.isElsewhere('Secret', 'shop', 'app')).toBe(false);
  });
});
