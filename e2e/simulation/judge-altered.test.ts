import { describe, expect, it } from '@jest/globals';
import { withValueAt, type JsonObject } from '../apiserver/json';
import { adopted, type Hand } from './history.fixture';
import { Judge, type Violation } from './judge';

/** Returns the broken promises. `altered` are the revisions of engine writes that others altered. */
function promises(hand: Hand, altered: readonly number[]): readonly Violation['promise'][] {
  const judge = new Judge();
  if (altered.length > 0) judge.takenOut('Deployment default/web');
  for (const write of hand.server.history()) judge.wrote(write, altered.includes(write.revision));
  return judge.verdict(false).map(({ promise }) => promise);
}

const revision = (hand: Hand): number => hand.server.store.revision;

describe('the judge of writes that others alter', () => {
  /** A restart of which only the record was stored, not the marker. */
  async function markerTakenOut(): Promise<{ readonly hand: Hand; readonly altered: readonly number[] }> {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', false);
    return { hand, altered: [revision(hand)] };
  }

  it('takes a record without a marker for what it is only where others took the marker out', async () => {
    const { hand, altered } = await markerTakenOut();
    expect(promises(hand, [])).toEqual(['missed change']);
    await hand.engine('value-1-', false);
    await hand.engine('value-2-', true);
    expect(promises(hand, altered)).toEqual([]);
  });

  it('finds the restart that is owed and does not come', async () => {
    const { hand, altered } = await markerTakenOut();
    expect(promises(hand, altered)).toEqual(['missed change']);
    await hand.engine('value-1-', false);
    expect(promises(hand, altered)).toEqual(['missed change', 'missed change']);
  });

  it('asks for no restart of who ended before the record could be taken back', async () => {
    const { hand, altered } = await markerTakenOut();
    await hand.lead('engine-1-1');
    expect(promises(hand, altered)).toEqual([]);
  });

  it('takes one restart more for each record that was taken out, and no other', async () => {
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

  it('takes a record that no content matches where others took a restart out, and nowhere else', async () => {
    const { hand, altered } = await markerTakenOut();
    const unmatched = (object: JsonObject): JsonObject => {
      const text = JSON.stringify({ v: 1, n: 9, key: 'k', sources: { 'cm/app': 'A'.repeat(22) } });
      return withValueAt(object, ['metadata', 'annotations', 'reroll.dev/baseline'], text);
    };
    await hand.engine('value-1-', false, unmatched);
    expect(promises(hand, [])).toContain('baseline apart from template');
    expect(promises(hand, altered)).not.toContain('baseline apart from template');
  });

  it('accepts that a record goes back to a former content where others took a restart out, and nowhere else', async () => {
    const { hand, altered } = await markerTakenOut();
    await hand.deleteSource();
    await hand.engine('value-1-', true);
    expect(promises(hand, [])).toContain('baseline apart from template');
    expect(promises(hand, altered)).not.toContain('baseline apart from template');
  });

  it('finds a write of what is not ours in one that was altered', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', false, (object) => withValueAt(object, ['spec', 'replicas'], 5));
    expect(promises(hand, [revision(hand)])).toContain('foreign write');
  });
});
