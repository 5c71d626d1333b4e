import { describe, expect, it } from '@jest/globals';
import { stringAt, withValueAt, type JsonObject } from '../apiserver/json';
import { adopted, type Hand } from './history.fixture';

async function setImage(hand: Hand, image: string): Promise<void> {
  await hand.write('dev', (object) => withValueAt(object, ['spec', 'template', 'metadata', 'labels', 'image'], image));
}

describe('the judge, for restarts that coalesce with a rollout', () => {
  it.each([
    ['reports nothing if the change came before the new template', true, []],
    ['reports a change that is recorded while a pod of the former template may be left', false, ['missed change']],
  ])('%s', async (_what, isRolledOut, promises) => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await setImage(hand, '2');
    if (isRolledOut) await hand.rollOut('web');
    await hand.engine('value-2-', false);
    expect(hand.promises()).toEqual(promises);
  });

  it('reports nothing if the source was annotated to be ignored before it was deleted', async () => {
    const hand = await adopted();
    await hand.annotateSource('reloader.stakater.com/ignore', 'true');
    await hand.deleteSource();
    await setImage(hand, '2');
    await hand.engine(undefined, false);
    expect(hand.promises(false, { reloadOnDelete: true })).toEqual([]);
  });

  it.each<[string, (hand: Hand) => Promise<void>]>([
    ['no new template', async (hand) => await hand.edit('value-2-')],
    [
      'a new template before the change',
      async (hand) => {
        await setImage(hand, '2');
        await hand.edit('value-2-');
      },
    ],
    [
      'a new template between two changes',
      async (hand) => {
        await hand.edit('value-2-');
        await setImage(hand, '2');
        await hand.edit('value-3-');
        await hand.engine('value-3-', false);
      },
    ],
    [
      'only a new number of replicas after the change',
      async (hand) => {
        await hand.edit('value-2-');
        await hand.write('dev', (object) => withValueAt(object, ['spec', 'replicas'], 4));
      },
    ],
  ])('reports a change that is recorded without a restart, with %s', async (_, happens) => {
    const hand = await adopted();
    await happens(hand);
    await hand.engine('value-2-', false);
    expect(hand.promises()).toContain('missed change');
    // A wrong record is found at once, even if another template comes after it.
    await setImage(hand, '9');
    expect(hand.promises()).toContain('missed change');
  });

  it('reports nothing if the recorded baseline was that of an earlier object, which a rollback has brought back', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await setImage(hand, '2');
    await hand.write('dev', (object) => {
      const annotation = ['metadata', 'annotations', 'reroll.dev/baseline'];
      const former = JSON.parse(stringAt(object, ...annotation) ?? '') as JsonObject;
      return withValueAt(object, annotation, JSON.stringify({ ...former, uid: 'of the earlier one' }));
    });
    await hand.engine('value-2-', false);
    expect(hand.promises().filter((promise) => promise === 'missed change')).toEqual([]);
  });

  it('reports nothing if a lost baseline is recorded again from the current content', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.strip();
    await hand.engine('value-2-', false);
    await setImage(hand, '2');
    expect(hand.promises()).toEqual([]);
  });

  describe('if a label excludes the source for a while', () => {
    const leavingOut = { leavesOutSources: true };

    /**
     * While the source is left out, it is changed to `first`, then a new template is stored, then it is changed to
     * `second`.
     */
    async function leftOut(first: string, second: string): Promise<Hand> {
      const hand = await adopted();
      await hand.label('ConfigMap', { tier: 'dev' });
      await hand.edit(first);
      await setImage(hand, '2');
      await hand.rollOut('web');
      await hand.edit(second);
      await hand.label('ConfigMap', {});
      return hand;
    }

    it('reports nothing if pods of the new template have read the changed content', async () => {
      const hand = await leftOut('value-2-', 'value-2-');
      await hand.engine('value-2-', false);
      expect(hand.promises(false, leavingOut)).toEqual([]);
    });

    it('reports a change that came after the new template', async () => {
      const hand = await leftOut('value-1-', 'value-2-');
      await hand.engine('value-2-', false);
      expect(hand.promises(false, leavingOut)).toContain('missed change');
    });
  });
});
