import { describe, expect, it } from '@jest/globals';
import { valueAt, withValueAt, type JsonObject } from '../apiserver/json';
import { Case } from './case';
import { adopted } from './history.fixture';

const baselineAt = ['metadata', 'annotations', 'reroll.dev/baseline'];

describe('the judge', () => {
  it('reports nothing if each change is answered by one restart', async () => {
    const hand = await adopted();
    for (const color of ['value-2-', 'value-3-']) {
      await hand.edit(color);
      await hand.engine(color, true);
    }
    expect(hand.promises(true)).toEqual([]);
  });

  it('reports a change without a restart', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    // Once because of what its pods run with, and once because of what its baseline records.
    expect(hand.promises()).toEqual(['missed change', 'missed change']);
  });

  it.each([
    { unrecordedMs: 30_000, promises: ['missed change'] },
    { unrecordedMs: 70_000, promises: [] },
  ])('lets a workload be lost that nobody could record for a minute: $unrecordedMs ms', async (row) => {
    const hand = await adopted();
    await hand.recreateWorkload();
    await hand.clock.advance(row.unrecordedMs);
    await hand.lead();
    await hand.edit('value-2-');
    await hand.lead('engine-0-2');
    await hand.engine('value-2-', false, undefined, 'engine-0-2');
    expect(hand.promises()).toEqual(row.promises);
  });

  it('does not count a change that is reverted', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.edit('value-1-');
    expect(hand.promises()).toEqual([]);
  });

  it('ignores a change within the second of the creation only if it is reverted', async () => {
    for (const [color, promises] of [
      ['value-2-', []],
      ['value-4-', ['missed change', 'missed change']],
    ] as const) {
      const hand = await adopted();
      await hand.recreate('value-2-');
      await hand.engine('value-2-', true);
      await hand.edit('value-3-', 1_000);
      await hand.edit(color);
      expect(hand.promises()).toEqual(promises);
    }
  });

  it('reports a restart without a change', async () => {
    const hand = await adopted();
    await hand.engine('value-1-', true);
    expect(hand.promises()).toEqual(['restart without reason']);
  });

  it('reports a second restart for one change', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    await hand.engine('value-2-', true);
    expect(hand.promises(true)).toEqual(['restart without reason']);
  });

  it('reports a new template without its baseline', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    const dropped = (object: JsonObject): JsonObject =>
      withValueAt(object, ['metadata', 'annotations', 'reroll.dev/baseline'], undefined);
    await hand.engine('value-2-', true, dropped);
    expect(hand.promises()).toContain('baseline apart from template');
  });

  it('reports a baseline with content that the source never had', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-9-', true);
    expect(hand.promises()).toEqual(['baseline apart from template']);
  });

  it('reports a baseline that returns to former content', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    await hand.engine('value-1-', true);
    expect(hand.promises()).toContain('baseline apart from template');
  });

  it('reports a write to a field that Reroll does not own', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true, (object) => withValueAt(object, ['spec', 'replicas'], 5));
    expect(hand.promises()).toEqual(['foreign write']);
  });

  it('reports a baseline that is written again without a change', async () => {
    const hand = await adopted();
    await hand.engine('value-1-', false);
    expect(hand.promises()).toEqual(['foreign write']);
  });

  it('reports a value of a source in an annotation', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    const telling = (object: JsonObject): JsonObject =>
      withValueAt(object, ['metadata', 'annotations', 'reroll.dev/last-restart'], 'now value-2-');
    await hand.engine('value-2-', true, telling);
    expect(hand.promises()).toEqual(['leak']);
  });

  it('reports a write by a process that does not hold the Lease', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true, undefined, 'engine-1-1');
    expect(hand.promises()).toEqual(['two writers']);
  });

  it('reports two restarts for two changes in one settle window, if nothing goes wrong in the world', async () => {
    const hand = await adopted();
    for (const color of ['value-2-', 'value-3-']) {
      await hand.edit(color, 300);
      await hand.engine(color, true);
    }
    expect(hand.promises()).toEqual([]);
    expect(hand.promises(true)).toEqual(['not exactly once']);
  });

  it('reports a workload whose baseline is missing in the end', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    await hand.edit('value-3-');
    await hand.edit('value-2-');
    expect(hand.promises()).toEqual([]);
    await hand.strip();
    expect(hand.promises()).toEqual(['missed change']);
  });

  it('accepts one extra restart after somebody removed the baseline, and reports a second one', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    await hand.strip();
    await hand.lead('engine-0-2');
    await hand.engine('value-2-', true, undefined, 'engine-0-2');
    expect(hand.promises()).toEqual([]);
    await hand.engine('value-2-', true, undefined, 'engine-0-2');
    expect(hand.promises()).toEqual(['restart without reason']);
  });

  it('knows that numbers begin anew if somebody removed the baseline and nobody remembers it', async () => {
    const hand = await adopted();
    const text = (object: JsonObject) => valueAt(object, ...baselineAt) as string;
    const asFirst = (object: JsonObject): JsonObject =>
      withValueAt(object, baselineAt, text(object).replace(/"n":\d+/, '"n":1'));
    await hand.edit('value-2-');
    await hand.strip();
    await hand.engine('value-2-', true, asFirst);
    await hand.edit('value-1-');
    await hand.engine('value-1-', true);
    expect(hand.promises()).toEqual([]);
  });

  it.each([
    [
      'accepts that the numbers begin again after a rollback to the baseline of an earlier object',
      'an earlier one',
      [],
    ],
    ['reports a baseline that was there already', undefined, ['baseline apart from template', 'foreign write']],
  ])('%s', async (_what, uid, promises) => {
    const hand = await adopted();
    const text = JSON.stringify({
      ...{ v: 1, n: 1, key: 'k', ...(uid !== undefined && { uid }) },
      sources: { 'cm/app': hand.digestOf('value-1-') },
    });
    const noted = (object: JsonObject): JsonObject =>
      withValueAt(object, ['metadata', 'annotations', 'reroll.dev/baseline'], text);
    await hand.write('dev', noted);
    await hand.engine('value-1-', false, (object) =>
      withValueAt(
        object,
        ['metadata', 'annotations', 'reroll.dev/baseline'],
        text.replace(/"uid":"[^"]*"/, '"uid":"own"') + ' ',
      ),
    );
    expect([...new Set(hand.promises())].toSorted()).toEqual(promises);
  });

  it.each([
    ['accepts it from a process that may know only the number of before', 'engine-0-1', []],
    ['reports it from the process for which the numbers began anew', 'engine-1-1', ['foreign write']],
  ])('if others took away a baseline that is written anew, and then again: %s', async (_what, user, promises) => {
    const hand = await adopted();
    const numbered = (n: number) => (object: JsonObject) => {
      const text = JSON.stringify({ v: 1, n, key: 'k', sources: { 'cm/app': hand.digestOf('value-2-') } });
      return withValueAt(object, ['metadata', 'annotations', 'reroll.dev/baseline'], text);
    };
    await hand.edit('value-2-');
    await hand.engine('value-2-', true, numbered(7));
    await hand.strip();
    await hand.lead('engine-1-1');
    await hand.engine('value-2-', false, numbered(1), 'engine-1-1');
    expect(hand.promises()).toEqual([]);
    await hand.lead(user);
    await hand.engine('value-2-', false, numbered(8), user);
    expect(hand.promises()).toEqual(promises);
  });
});

describe('the list of processes that took the Lease', () => {
  it('includes a process as soon as it acquires the Lease, because it may freeze before it renews the Lease', async () => {
    const { server } = await adopted();
    const history = server.history();
    const taken = history.findIndex(({ kind }) => kind.kind === 'Lease');
    expect(new Case(history.slice(0, taken)).processes).toEqual([]);
    expect(new Case(history.slice(0, taken + 1)).processes).toEqual(['engine-0-1']);
  });
});
