import { describe, expect, it } from '@jest/globals';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { withValueAt, type JsonObject } from '../apiserver/json';
import { adopted, type Hand } from './history.fixture';
import { Judge, type Violation } from './judge';
import { plainRules, type Rules } from './rules';

/** Returns the broken promises. `altered` are the revisions of engine writes that others altered. */
function promises(hand: Hand, altered: readonly number[], rules: Rules = plainRules): readonly Violation['promise'][] {
  const judge = new Judge(rules);
  if (altered.length > 0) judge.takenOut('Deployment default/web');
  for (const write of hand.server.history()) judge.wrote(write, altered.includes(write.revision));
  return judge.verdict(false).map(({ promise }) => promise);
}

/** In a world in which each process knows everything within a second. */
const gated: Rules = { ...plainRules, gates: {}, knownWithinMs: 1_000 };

const revision = (hand: Hand): number => hand.server.store.revision;

describe('the judge, if another admission webhook alters writes of the engine', () => {
  /** A restart of which only the record was stored, not the marker. */
  async function markerTakenOut(
    before?: (hand: Hand) => Promise<void>,
  ): Promise<{ readonly hand: Hand; readonly altered: readonly number[] }> {
    const hand = await adopted(before);
    await hand.edit('value-2-');
    await hand.engine('value-2-', false);
    return { hand, altered: [revision(hand)] };
  }

  it('accepts a new baseline without a restart marker only if the webhook removed the marker', async () => {
    const { hand, altered } = await markerTakenOut();
    expect(promises(hand, [])).toEqual(['missed change']);
    await hand.engine('value-1-', false);
    await hand.engine('value-2-', true);
    expect(promises(hand, altered)).toEqual([]);
  });

  it('reports the restart that is still owed after its marker was removed', async () => {
    const { hand, altered } = await markerTakenOut();
    expect(promises(hand, altered)).toEqual(['missed change']);
    await hand.engine('value-1-', false);
    expect(promises(hand, altered)).toEqual(['missed change', 'missed change']);
  });

  it('demands no restart from a process that ended before it could take the baseline back', async () => {
    const { hand, altered } = await markerTakenOut();
    await hand.lead('engine-1-1');
    expect(promises(hand, altered)).toEqual([]);
  });

  it.each([
    ['accepts that the process forgot the restart with its namespace', true, []],
    ['demands the restart from a process that left the namespace out only later', false, ['missed change']],
  ])('%s', async (_what, isLeftOutBefore, expected) => {
    const prod = { env: 'prod' };
    const { hand, altered } = await markerTakenOut(async (begun) => await begun.label('Namespace', prod));
    if (!isLeftOutBefore) await hand.engine('value-1-', false);
    await hand.label('Namespace', {});
    await hand.label('Namespace', prod);
    const selecting = { ...plainRules, selectsNamespaces: true };
    expect(new Set(promises(hand, altered, selecting))).toEqual(new Set(expected));
  });

  it.each([
    ['accepts that nobody can tell it from a marker that somebody removed', false, 2, []],
    ['demands the restart where a controller tells the revision', true, 2, ['missed change']],
    ['demands the restart where nothing was changed that counts for the generation', false, 1, ['missed change']],
  ])('%s', async (_what, isObserved, replicas, expected) => {
    const { hand, altered } = await markerTakenOut(async (begun) => {
      if (isObserved) await begun.rollOut('web');
    });
    await hand.write('bob', (object) => withValueAt(object, ['spec', 'replicas'], replicas));
    expect(new Set(promises(hand, altered))).toEqual(new Set(expected));
  });

  it.each([
    ['accepts a restart for content that came back after a record that was not stored, but counted', 1, []],
    ['accepts none without such a record', 0, ['restart without reason']],
  ])('%s', async (_what, unstored, expected) => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.edit('value-1-');
    const baseline = ['metadata', 'annotations', 'reroll.dev/baseline'];
    await hand.engine('value-1-', true, (object) => {
      const written = JSON.parse(String(fieldAt(object, baseline))) as { readonly n: number };
      return withValueAt(object, baseline, JSON.stringify({ ...written, n: written.n + unstored }));
    });
    // Some write of ours was altered, perhaps one that was not stored.
    const judge = new Judge(plainRules);
    judge.takenOut('Deployment default/web');
    for (const write of hand.server.history()) judge.wrote(write);
    expect(judge.verdict(false).map(({ promise }) => promise)).toEqual(expected);
  });

  it('accepts a restart too soon after one of which the webhook removed the record', async () => {
    const hand = await adopted();
    await hand.annotate('reroll.dev/min-interval', '20s');
    await hand.edit('value-2-');
    await hand.restart('value-2-');
    const altered = [revision(hand)];
    await hand.edit('value-3-');
    await hand.restart('value-3-');
    const tooSoon = 'restart in spite of a gate';
    expect(promises(hand, [], gated)).toContain(tooSoon);
    expect(promises(hand, altered, gated)).not.toContain(tooSoon);
  });

  it('accepts one extra restart for each baseline that the webhook removed, and no more', async () => {
    const hand = await adopted();
    const before = hand.server.history().at(-1)?.object.metadata.annotations;
    await hand.edit('value-2-');
    const unrecorded = (object: JsonObject): JsonObject =>
      withValueAt(object, ['metadata', 'annotations'], { ...before });
    await hand.engine('value-2-', true, unrecorded);
    const altered = [revision(hand)];
    await hand.lead('engine-1-1');
    await hand.engine('value-2-', true, undefined, 'engine-1-1');
    expect(promises(hand, altered)).toEqual([]);
    // The source's creation before the workload counts as a change too.
    for (let left = 2; left > 0; left--) await hand.engine('value-2-', true, undefined, 'engine-1-1');
    expect(promises(hand, altered)).toContain('more restarts than changes');
  });

  it('accepts a digest that no content has only if the webhook removed a restart marker', async () => {
    const { hand, altered } = await markerTakenOut();
    const unmatched = (object: JsonObject): JsonObject => {
      const text = JSON.stringify({ v: 1, n: 9, key: 'k', sources: { 'cm/app': 'A'.repeat(22) } });
      return withValueAt(object, ['metadata', 'annotations', 'reroll.dev/baseline'], text);
    };
    await hand.engine('value-1-', false, unmatched);
    expect(promises(hand, [])).toContain('baseline apart from template');
    expect(promises(hand, altered)).not.toContain('baseline apart from template');
  });

  it('accepts a baseline that returns to former content only if the webhook removed a restart marker', async () => {
    const { hand, altered } = await markerTakenOut();
    await hand.deleteSource();
    await hand.engine('value-1-', true);
    expect(promises(hand, [])).toContain('baseline apart from template');
    expect(promises(hand, altered)).not.toContain('baseline apart from template');
  });

  it('reports an altered write that also changes a field which Reroll does not own', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', false, (object) => withValueAt(object, ['spec', 'replicas'], 5));
    expect(promises(hand, [revision(hand)])).toContain('foreign write');
  });
});
