import { describe, expect, it } from '@jest/globals';
import { VersionedItems } from './versioned-items';

interface Item {
  readonly name: string;
  readonly value: number;
}

const item = (name: string, value = 0): Item => ({ name, value });
const collection = (maxRemoved?: number) => new VersionedItems<Item>(({ name }) => name, maxRemoved);

describe('a collection with versions', () => {
  it('tells a new reader everything, and then what has changed', () => {
    const items = collection();
    expect(items.replace([item('a'), item('b')])).toBe(true);
    expect(items.since(-1)).toEqual({ isWhole: true, changed: [item('a'), item('b')], removed: [] });
    const first = items.version;
    expect(items.replace([item('a', 1), item('c')])).toBe(true);
    expect(items.since(first)).toEqual({ isWhole: false, changed: [item('a', 1), item('c')], removed: ['b'] });
  });

  it('tells nothing to who knows everything', () => {
    const items = collection();
    items.replace([item('a')]);
    const { version } = items;
    expect(items.replace([item('a')])).toBe(false);
    expect([items.version, items.since(version)]).toEqual([version, undefined]);
  });

  it('tells a slow reader once what has changed several times, and nothing of what came and went', () => {
    const items = collection();
    items.replace([item('a')]);
    const { version } = items;
    for (let value = 1; value <= 100; value++) items.replace([item('a', value), item(`passing-${value}`)]);
    items.replace([item('a', 100)]);
    const news = items.since(version);
    expect(news?.changed).toEqual([item('a', 100)]);
    expect(news?.removed).toContain('passing-100');
  });

  it('takes a removal back when the item is there again', () => {
    const items = collection();
    items.replace([item('a'), item('b')]);
    const { version } = items;
    items.replace([item('a')]);
    items.replace([item('a'), item('b', 1)]);
    expect(items.since(version)).toEqual({ isWhole: false, changed: [item('b', 1)], removed: [] });
  });

  it('tells everything to who missed more removals than it remembers', () => {
    const items = collection(2);
    items.replace([item('a'), item('b'), item('c'), item('d')]);
    const old = items.version;
    items.replace([item('a'), item('b'), item('c')]);
    const newer = items.version;
    items.replace([item('a')]);
    expect(items.since(old)).toEqual({ isWhole: true, changed: [item('a')], removed: [] });
    expect(items.since(newer)).toEqual({ isWhole: false, changed: [], removed: ['b', 'c'] });
  });

  it('tells of an empty cluster that it is empty', () => {
    const items = collection();
    expect(items.version).toBe(0);
    expect(items.replace([])).toBe(true);
    expect(items.since(-1)).toEqual({ isWhole: true, changed: [], removed: [] });
  });

  it('forgets more removals at once than a call takes arguments', () => {
    const items = collection();
    items.replace(Array.from({ length: 200_000 }, (_, index) => item(String(index))));
    const old = items.version;
    expect(items.replace([])).toBe(true);
    expect(items.since(old)).toEqual({ isWhole: true, changed: [], removed: [] });
  });
});
