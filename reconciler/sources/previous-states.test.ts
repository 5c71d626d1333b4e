import { describe, expect, it } from '@jest/globals';
import { budgets } from '../../shared/domain/budgets';
import { ContentDigest } from '../../shared/domain/sources/content-digest';
import { bytesOfStates, newestStates, unknownOf } from './previous-states';
import type { PreviousState } from './source-entry';

const contentOf = (names: readonly string[]): ContentDigest => new ContentDigest(names, 'd'.repeat(16 * names.length));
const namesOf = (count: number, salt: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${String(salt)}-${String(index)}-${'k'.repeat(50)}`);
const stateOf = (second: number, names: readonly string[]): PreviousState => ({
  ...{ content: contentOf(names), fromMs: second * 1_000, observedMs: second },
});

describe('previous states of a source', () => {
  it('stay unchanged if there is room for them', () => {
    const states = Array.from({ length: 32 }, (_, second) => stateOf(second, ['color']));
    expect(newestStates(states)).toBe(states);
    expect(newestStates([])).toEqual([]);
  });

  it('are cut to the newest if they are many, after one with unknown content', () => {
    const states = Array.from({ length: 40 }, (_, second) => stateOf(second, ['color']));
    expect(newestStates(states)).toEqual([{ content: 'unknown', fromMs: 0, observedMs: 7 }, ...states.slice(8)]);
  });

  it('are cut to the newest if they are large, and never exceed the budget', () => {
    const states = Array.from({ length: 20 }, (_, second) => stateOf(second, namesOf(1_000, second)));
    const kept = newestStates(states);
    expect(kept.length).toBeGreaterThan(2);
    expect(kept.length).toBeLessThan(10);
    expect(kept.at(-1)).toBe(states.at(-1));
    expect(kept[0]).toMatchObject({ content: 'unknown', fromMs: 0 });
    expect(bytesOfStates(kept)).toBeLessThanOrEqual(budgets.formerStateBytes);
  });

  it('count names once that one shares with the next', () => {
    const names = namesOf(1_000, 0);
    const same = [stateOf(0, names), stateOf(1, names)];
    const other = [stateOf(0, names), stateOf(1, [...names])];
    expect(bytesOfStates(other) - bytesOfStates(same)).toBeGreaterThan(50_000);
  });

  it('become one from the start of the first to the end of the last, if their contents are unknown', () => {
    const states = [stateOf(3, ['a']), stateOf(5, ['a'])];
    expect(unknownOf(states)).toEqual([{ content: 'unknown', fromMs: 3_000, observedMs: 5 }]);
    expect(unknownOf([])).toEqual([]);
  });
});
