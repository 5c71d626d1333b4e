import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../apiserver/json';
import { Case } from './case';
import { adopted, type Hand } from './history.fixture';
import { checkLate } from './judge-late';
import { RecordJudge } from './judge-records';

const dark = { fromMs: 0, toMs: Infinity, lagMs: undefined };

/** The engine restarts for `color` and names `by` as the authors. */
async function restart(hand: Hand, color: string, ...by: readonly string[]): Promise<void> {
  await hand.restart(color, { by });
}

describe('the judge, for the authors of a restart', () => {
  it('accepts everybody whose writes led from the former record to the current one', async () => {
    const hand = await adopted();
    await hand.edit('value-2-', 300, {}, 'alice');
    await hand.edit('value-3-', 3_000, {}, 'bob');
    await restart(hand, 'value-3-', 'bob', 'alice');
    expect(hand.promises()).toEqual([]);
  });

  it('reports an author who wrote nothing', async () => {
    const hand = await adopted();
    await hand.edit('value-2-', 3_000, {}, 'alice');
    await restart(hand, 'value-2-', 'mallory');
    expect(hand.promises()).toEqual(['wrong author']);
  });

  it('reports an author whose change was answered by an earlier restart', async () => {
    const hand = await adopted();
    await hand.edit('value-2-', 3_000, {}, 'alice');
    await restart(hand, 'value-2-', 'alice');
    await hand.edit('value-3-', 3_000, {}, 'bob');
    await restart(hand, 'value-3-', 'alice');
    expect(hand.promises()).toEqual(['wrong author']);
  });

  it('reports the former author of a state to which somebody else returned, unless a late record may name both', async () => {
    const returned = async (afterMs: number, heldMs = 0): Promise<Hand> => {
      const hand = await adopted();
      await hand.edit('value-2-', 3_000, {}, 'alice');
      await restart(hand, 'value-2-', 'alice');
      await hand.edit('value-3-', 3_000, {}, 'bob');
      await restart(hand, 'value-3-', 'bob');
      await hand.clock.advance(afterMs);
      await hand.edit('value-2-', 3_000 + heldMs, {}, 'bob');
      await restart(hand, 'value-2-', 'alice');
      return hand;
    };
    expect((await returned(20_000)).promises()).toEqual([]);
    expect((await returned(20_000, 120_000)).promises()).toEqual([]);
    expect((await returned(120_000)).promises()).toEqual(['wrong author']);
  });

  it('reads the authors in an Event source by source', async () => {
    const message = (user: string, id: string): string =>
      `Secret db: content changed by carol; ConfigMap app: content changed (keys: color) by ${user} (kubectl-edit). Deployment restarted (env-vars, ${id})`;
    const told = async (user: string): Promise<Hand> => {
      const hand = await adopted();
      await hand.createSecret('carol');
      await hand.edit('value-2-', 3_000, {}, 'alice');
      await hand.event(message(user, await hand.restart('value-2-')));
      return hand;
    };
    expect((await told('alice')).promises()).toEqual([]);
    expect((await told('carol')).promises()).toEqual(['wrong author']);
  });
});

describe('the judge, while the watches of sources are cut', () => {
  it.each([
    [3_000, []],
    [4_000, ['too late']],
  ])('for a restart %d ms after the change, reports %j', async (afterMs, promises) => {
    const hand = await adopted();
    await hand.edit('value-2-', afterMs);
    await hand.engine('value-2-', true);
    const found = checkLate(new Case(hand.server.history()), dark);
    expect(found.map(({ promise }) => promise)).toEqual(promises);
  });

  it('demands nothing if a change was reverted at once', async () => {
    const hand = await adopted();
    await hand.edit('value-2-', 200);
    await hand.edit('value-1-', 10_000);
    expect(checkLate(new Case(hand.server.history()), dark)).toEqual([]);
  });
});

describe('the judge, for the change records of webhooks', () => {
  const record = (fields: JsonObject): JsonObject => ({
    ...{ kind: 'ConfigMap', namespace: 'default', name: 'app', uid: 'u', digest: 'd', user: 'alice' },
    ...{ id: '1', observedAtMs: 1_000, ...fields },
  });

  it('accepts a record that is sent again', () => {
    const judge = new RecordJudge();
    for (const from of ['webhook-0-1', 'webhook-0-1', 'webhook-1-1']) judge.sent(from, record({}));
    expect(judge.violations).toEqual([]);
  });

  it('reports a second record of one change, but not the record of a change that was made again', () => {
    const judge = new RecordJudge();
    judge.sent('webhook-0-1', record({}));
    judge.sent('webhook-0-1', record({ id: '2', digest: 'e' }));
    judge.sent('webhook-0-1', record({ id: '3' }));
    // The first record of this change, sent again to another reconciler. It does not report the change a second time.
    judge.sent('webhook-0-1', record({ id: '2', digest: 'e' }));
    judge.sent('webhook-0-1', record({ id: '5', digest: 'e', observedAtMs: 1_005 }));
    judge.sent('webhook-0-1', record({ id: '3', observedAtMs: 1_006 }));
    // The webhook gets the same review once more, after another change.
    judge.sent('webhook-0-1', record({ id: '5', digest: 'e', observedAtMs: 1_007 }));
    judge.sent('webhook-0-1', record({ id: '6', observedAtMs: 1_008 }));
    judge.sent('webhook-0-1', record({ id: '5', digest: 'e', observedAtMs: 1_009 }));
    expect(judge.violations).toEqual([]);
    judge.sent('webhook-0-1', record({ id: '4', digest: 'e', observedAtMs: 1_010 }));
    expect(judge.violations).toHaveLength(1);
  });

  it('accepts a second record if another review came in between, even without a record of that review', () => {
    const judge = new RecordJudge();
    for (const id of ['1', '2', '3']) judge.asked('webhook-0-1', 'ConfigMap default/app', id, 1_000);
    judge.sent('webhook-0-1', record({}));
    judge.sent('webhook-0-1', record({ id: '3', observedAtMs: 1_001 }));
    expect(judge.violations).toEqual([]);
  });

  it.each([
    ['accepts a second record if another review came just before, because that one may be reported later', 500, 0],
    ['reports a second record if another review came long before', 5_000, 1],
  ])('%s', (_what, earlierMs, found) => {
    const judge = new RecordJudge();
    judge.asked('webhook-0-1', 'ConfigMap default/app', '0', 10_000 - earlierMs);
    for (const id of ['1', '1']) judge.asked('webhook-0-1', 'ConfigMap default/app', id, 10_000);
    judge.sent('webhook-0-1', record({}));
    judge.sent('webhook-0-1', record({ observedAtMs: 1_001 }));
    expect(judge.violations).toHaveLength(found);
  });

  it('reports a record of a dry run', () => {
    const judge = new RecordJudge();
    judge.tried('1');
    judge.sent('webhook-0-1', record({}));
    expect(judge.violations.map(({ promise }) => promise)).toEqual(['record without change']);
  });
});
