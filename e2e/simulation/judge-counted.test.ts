import { describe, expect, it } from '@jest/globals';
import { withValueAt, type JsonObject } from '../apiserver/json';
import { adopted, digests, type Hand } from './history.fixture';
import { compareAnnotation, jsonKey, keysAnnotation } from './key-lists';

const source = 'ConfigMap default/app';
const rules = { shownWithinMs: 1_000, knownWithinMs: 1_000 };
let sequence = 100;

type Entry = string | Readonly<Record<string, string>>;

/** The engine records this of the ConfigMap, perhaps with what is parsed of it or with its list, and restarts `web` if asked to. */
async function record(
  hand: Hand,
  entry: Entry,
  restart: boolean,
  {
    isParsed = false,
    list,
    by = 'engine-0-1',
  }: { readonly isParsed?: boolean; readonly list?: string; readonly by?: string } = {},
): Promise<void> {
  const n = sequence++;
  const sources = { 'cm/app': entry };
  const text = JSON.stringify({
    v: 1,
    n,
    key: 'k',
    sources,
    ...(isParsed && { parsed: sources }),
    ...(list !== undefined && { filters: { 'cm/app': list } }),
  });
  await hand.write(by, (object) => {
    const recorded = withValueAt(object, ['metadata', 'annotations', 'reroll.dev/baseline'], text);
    const marker = ['spec', 'template', 'metadata', 'annotations', 'kubectl.kubernetes.io/restartedAt'];
    return restart ? withValueAt(recorded, marker, String(n)) : recorded;
  });
  await hand.clock.advance(3_000);
}

function keyOf(key: string, value: string): Entry {
  return { [key]: digests.key(source, key, value) };
}

function wholeOf(content: Readonly<Record<string, string>>): Entry {
  return digests.whole(source, new Map(Object.entries(content)));
}

const promises = (hand: Hand) => hand.promises(false, rules);

describe.each(['workload', 'source'] as const)('the judge, for a list of keys on the %s', (bearer) => {
  async function listed(list: string): Promise<Hand> {
    const hand = await adopted();
    if (bearer === 'source') await hand.annotateSource(keysAnnotation, list);
    else await hand.annotate(keysAnnotation, list);
    return hand;
  }

  it.each([
    ['accepts a restart in doubt by a process that began to lead after the list was edited', 'engine-0-2', []],
    ['reports it by a process that saw the edit of the list', 'engine-0-1', ['restart without reason']],
  ])('%s', async (_what, by, broken) => {
    const hand = await listed('!size');
    await record(hand, keyOf('color', 'value-1-'), false, { list: '!size' });
    if (bearer === 'source') await hand.annotateSource(keysAnnotation, 'color');
    else await hand.annotate(keysAnnotation, 'color');
    await hand.edit('value-1-', 90_000, { size: 'value-2-' });
    if (by !== 'engine-0-1') await hand.lead(by);
    await record(hand, keyOf('color', 'value-1-'), true, { list: 'color', by });
    expect(promises(hand)).toEqual(broken);
  });

  it.each([
    [
      'accepts a restart by a process that may have read several edits as one',
      91_000,
      0,
      bearer === 'workload' ? [] : ['restart without reason'],
    ],
    ['reports it if the edit of the list was shown', 91_000, 10_000, ['restart without reason']],
    [
      'accepts it at any time within one second, in which nobody knows which came first',
      0,
      10_000,
      bearer === 'workload' ? [] : ['restart without reason'],
    ],
  ])('%s, for a key that changed before that edit', async (_what, listedAfterMs, waitMs, broken) => {
    const hand = await listed('color');
    await hand.edit('value-1-', 3_000, { size: 'value-2-' });
    await record(hand, keyOf('color', 'value-1-'), false, { list: 'color' });
    await hand.edit('value-1-', listedAfterMs);
    if (bearer === 'source') await hand.annotateSource(keysAnnotation, 'color, size');
    else await hand.annotate(keysAnnotation, 'color, size');
    await hand.clock.advance(waitMs);
    await record(hand, keyOf('color', 'value-1-'), true, { list: 'color, size' });
    expect(promises(hand)).toEqual(broken);
  });

  it('demands that what counts is recorded, and nothing for the others', async () => {
    const hand = await listed('color');
    expect(promises(hand)).toEqual(['missed change']);
    await record(hand, keyOf('color', 'value-1-'), false);
    await hand.edit('value-1-', 90_000, { size: 'value-2-' });
    expect(promises(hand)).toEqual([]);
    await record(hand, keyOf('color', 'value-1-'), true);
    expect(promises(hand)).toContain('restart without reason');
  });

  it('demands a restart for a key that counts', async () => {
    const hand = await listed('color');
    await record(hand, keyOf('color', 'value-1-'), false);
    await hand.edit('value-2-', 90_000);
    expect(promises(hand)).toEqual(['missed change', 'missed change']);
    await record(hand, keyOf('color', 'value-2-'), true);
    expect(promises(hand)).toEqual([]);
  });

  it('reports a restart for a key that has not counted for long, whatever is recorded of it', async () => {
    const hand = await listed('color');
    await record(hand, { color: digests.key(source, 'color', 'value-1-'), size: '-' }, false);
    await hand.edit('value-1-', 90_000, { size: 'value-2-' });
    const size = digests.key(source, 'size', 'value-2-');
    await record(hand, { color: digests.key(source, 'color', 'value-1-'), size }, true);
    expect(promises(hand)).toContain('restart without reason');
  });

  it('accepts a restart for a key that was removed just before it began to count: a removal leaves no time', async () => {
    const hand = await listed('color');
    await hand.edit('value-1-', 3_000, { size: 'value-2-' });
    await record(hand, keyOf('color', 'value-1-'), false, { list: 'color' });
    await hand.edit('value-1-', 1_000);
    if (bearer === 'source') await hand.annotateSource(keysAnnotation, 'color, size');
    else await hand.annotate(keysAnnotation, 'color, size');
    await record(hand, keyOf('color', 'value-1-'), true, { list: 'color, size' });
    expect(promises(hand)).toEqual([]);
  });

  it('takes a key as it is when it begins to count', async () => {
    const hand = await listed('color');
    await record(hand, keyOf('color', 'value-1-'), false);
    await hand.edit('value-1-', 5_000, { size: 'value-2-' });
    if (bearer === 'source') await hand.annotateSource(keysAnnotation, 'color, size');
    else await hand.annotate(keysAnnotation, 'color, size');
    const color = digests.key(source, 'color', 'value-1-');
    await record(hand, { color, size: digests.key(source, 'size', 'value-2-') }, false);
    expect(promises(hand)).toEqual([]);
  });
});

it('the judge accepts a restart by a process that led only after the list was edited: it does not know since when', async () => {
  const hand = await adopted();
  await hand.annotate(keysAnnotation, 'color');
  await record(hand, keyOf('color', 'value-1-'), false, { list: 'color' });
  await hand.edit('value-1-', 3_000, { size: 'value-2-' });
  await hand.annotate(keysAnnotation, 'c?lor,*.json');
  await record(hand, keyOf('color', 'value-1-'), true, { list: 'others' });
  expect(promises(hand)).toEqual(['restart without reason']);

  const later = await adopted();
  await later.annotate(keysAnnotation, 'color');
  await record(later, keyOf('color', 'value-1-'), false, { list: 'color' });
  await later.edit('value-1-', 3_000, { size: 'value-2-' });
  await later.annotate(keysAnnotation, 'c?lor,*.json');
  await later.lead('engine-0-2');
  await record(later, keyOf('color', 'value-1-'), true, { list: 'others', by: 'engine-0-2' });
  expect(promises(later)).toEqual([]);
});

describe('the judge, for a source that is compared parsed', () => {
  const written = { color: 'value-1-', [jsonKey]: '{"a":1,"b":2}' };
  const formatted = { color: 'value-1-', [jsonKey]: '{ "b": 2, "a": 1 }' };
  const changed = { color: 'value-1-', [jsonKey]: '{"a":1,"b":3}' };

  async function parsed(): Promise<Hand> {
    const hand = await adopted();
    await hand.edit('value-1-', 3_000, pick(written));
    await hand.annotateSource(compareAnnotation, 'parsed');
    await record(hand, wholeOf(written), true, { isParsed: true });
    expect(promises(hand)).toEqual([]);
    return hand;
  }

  function pick(content: Readonly<Record<string, string>>): JsonObject {
    return { [jsonKey]: content[jsonKey] ?? '' };
  }

  it('owes nothing for white space, and reports a restart for it', async () => {
    const hand = await parsed();
    await hand.edit('value-1-', 90_000, pick(formatted));
    expect(promises(hand)).toEqual([]);
    await record(hand, wholeOf(formatted), true, { isParsed: true });
    expect(promises(hand)).toEqual(['restart without reason']);
  });

  it.each([
    ['accepts', formatted, []],
    ['reports, for another value,', changed, ['missed change']],
  ])('%s a record of it that no rollout follows', async (_what, content, broken) => {
    const hand = await parsed();
    await hand.edit('value-1-', 3_000, pick(content));
    await record(hand, wholeOf(content), false, { isParsed: true });
    expect(promises(hand)).toEqual(broken);
  });

  it.each([
    ['accepts', formatted, true, []],
    ['reports, for another value,', changed, true, ['baseline apart from template']],
    ['reports, if the record does not tell what is parsed,', formatted, false, ['baseline apart from template']],
  ])('%s a record of it on a CronJob that no run follows', async (_what, content, isParsed, broken) => {
    const hand = await parsed();
    hand.addCronJob();
    const recordWhole = async (each: Readonly<Record<string, string>>): Promise<void> => {
      const sources = { 'cm/app': wholeOf(each) };
      const n = sequence++;
      const baseline = { v: 1, n, key: 'k', uid: 'of the CronJob', sources, ...(isParsed && { parsed: sources }) };
      await hand.recordOnCronJob('', JSON.stringify(baseline));
    };
    await recordWhole(written);
    await hand.edit('value-1-', 3_000, pick(content));
    await recordWhole(content);
    expect(promises(hand)).toEqual(broken);
  });

  it('accepts a restart for a key that is gone, although the list that has come since has no record of it', async () => {
    const hand = await parsed();
    await hand.annotate(keysAnnotation, 'c?lor,*.json');
    await hand.edit('value-1-', 3_000, pick(formatted));
    await hand.edit('value-1-', 90_000);
    await record(hand, keyOf('color', 'value-1-'), true);
    expect(promises(hand)).toEqual([]);
  });

  it('accepts a restart for a key that is gone and that only a longer list counts: the record of before lacks it', async () => {
    const hand = await parsed();
    await hand.annotate(keysAnnotation, 'color');
    await record(hand, keyOf('color', 'value-1-'), false, { isParsed: true, list: 'color' });
    await hand.edit('value-1-', 90_000, { ...pick(formatted), size: 'value-2-' });
    await hand.annotate(keysAnnotation, 'color, size');
    await hand.edit('value-1-', 3_000, pick(formatted));
    await record(hand, keyOf('color', 'value-1-'), true, { isParsed: true, list: 'color, size' });
    expect(promises(hand)).toEqual([]);
  });

  it('accepts a restart in doubt for a key that counts no longer, if what the whole content was is no longer known', async () => {
    const hand = await parsed();
    await hand.edit('value-1-', 3_000, pick(formatted));
    await hand.edit('value-1-', 3_000, { ...pick(formatted), size: 'value-2-' });
    await hand.annotate(keysAnnotation, '!s*');
    await record(hand, keyOf('color', 'value-1-'), true, { isParsed: true });
    expect(promises(hand)).toEqual([]);
  });

  it('reports it also if the record does not tell what is parsed', async () => {
    const hand = await parsed();
    await hand.clock.advance(90_000);
    await hand.edit('value-1-', 90_000, pick(formatted));
    await record(hand, wholeOf(formatted), true);
    expect(promises(hand)).toEqual(['restart without reason']);
  });

  it('accepts it if the process may not know yet that the source is compared parsed', async () => {
    const early = await adopted();
    await early.edit('value-1-', 3_000, pick(written));
    await early.annotateSource(compareAnnotation, 'parsed');
    await record(early, wholeOf(written), true);
    await early.edit('value-1-', 3_000, pick(formatted));
    await record(early, wholeOf(formatted), true);
    expect(promises(early)).toEqual([]);
  });

  it('demands a restart for another value', async () => {
    const hand = await parsed();
    await hand.edit('value-1-', 90_000, pick(changed));
    expect(promises(hand)).toEqual(['missed change', 'missed change']);
  });

  it('accepts a restart for white space if it counted meanwhile', async () => {
    const hand = await parsed();
    await hand.annotateSource(compareAnnotation, undefined);
    await hand.edit('value-1-', 90_000, pick(formatted));
    await record(hand, wholeOf(formatted), true);
    expect(promises(hand)).toEqual([]);
  });
});
