import { beforeEach, describe, expect, it } from '@jest/globals';
import { ContentDigest } from '../../shared/domain/sources/content-digest';
import type { SourceRef } from '../../shared/domain/sources/source';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { sourceRecord } from '../../shared/domain/plan/records.fixture';
import type { PreviousState } from './source-entry';
import { SourceStore } from './source-store';
import { StateRetention } from './state-retention';

const tenMinutesMs = 10 * 60_000;

let clock: FakeClock;
let store: SourceStore;
let retention: StateRetention;

beforeEach(() => {
  clock = new FakeClock();
  store = new SourceStore();
  retention = new StateRetention(clock, store);
});

const refOf = (name: string, namespace = 'shop'): SourceRef => ({ kind: 'ConfigMap', namespace, name });

/** A state that ends now, with so many keys that a few hundred of these states fill a namespace's budget. */
function largeState(salt: string): PreviousState {
  const names = Array.from({ length: 200 }, (_, key) => `${salt}-${String(key)}-${'k'.repeat(40)}`);
  return {
    content: new ContentDigest(names, 'd'.repeat(16 * names.length)),
    fromMs: 0,
    observedMs: clock.monotonicMs(),
  };
}

/** A source that has, or had, one previous state. */
function changed(source: SourceRef, { isDeleted = false } = {}): void {
  const former = retention.retained(source, [largeState(source.namespace + source.name)]);
  const times = { fromMs: 0, ignoreSinceMs: 0, matchSinceMs: 0, keysSinceMs: 0 };
  const record = isDeleted ? undefined : sourceRecord(source);
  store.set(source, { record, ...times, isRead: false, former, isFirstForgotten: false });
}

const pastOf = (source: SourceRef) => store.get(source)?.former.map(({ content }) => content);

describe('a source without previous states', () => {
  it('takes no room', async () => {
    expect(retention.retained(refOf('app'), [])).toEqual([]);
    await clock.advance(tenMinutesMs + 1);
    retention.expire();
    expect(store.get(refOf('app'))).toBeUndefined();
  });
});

describe('previous states expire', () => {
  it('ten minutes after they ended', async () => {
    changed(refOf('app'));
    await clock.advance(tenMinutesMs);
    retention.expire();
    expect(pastOf(refOf('app'))).toHaveLength(1);
    await clock.advance(1);
    retention.expire();
    expect(store.get(refOf('app'))).toMatchObject({ former: [], isFirstForgotten: true });
  });

  it('with the whole entry if the source is deleted', async () => {
    changed(refOf('gone'), { isDeleted: true });
    await clock.advance(tenMinutesMs + 1);
    retention.expire();
    expect(store.countIn('ConfigMap', 'shop')).toBe(0);
  });

  it('even when their contents were evicted before', async () => {
    changed(refOf('app'));
    for (let source = 0; source < 300; source++) changed(refOf(`f${String(source)}`));
    expect(pastOf(refOf('app'))).toEqual(['unknown']);
    await clock.advance(tenMinutesMs + 1);
    retention.expire();
    expect(pastOf(refOf('app'))).toEqual([]);
  });
});

describe('the contents of previous states', () => {
  it('become unknown when newer ones of the namespace need the room, oldest first', () => {
    for (let source = 0; source < 300; source++) changed(refOf(`f${String(source)}`));
    expect(pastOf(refOf('f0'))).toEqual(['unknown']);
    expect(pastOf(refOf('f299'))).toEqual([largeState('shopf299').content]);
  });

  it('are kept, whatever happens in other namespaces', () => {
    changed(refOf('app'));
    for (let source = 0; source < 1_000; source++) changed(refOf(`f${String(source)}`, 'tenant'));
    expect(pastOf(refOf('app'))).toEqual([largeState('shopapp').content]);
  });
});
