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

describe('the judge of authors', () => {
  it('takes whoever wrote what is recorded now, and since what was recorded before', async () => {
    const hand = await adopted();
    await hand.edit('value-2-', 300, {}, 'alice');
    await hand.edit('value-3-', 3_000, {}, 'bob');
    await restart(hand, 'value-3-', 'bob', 'alice');
    expect(hand.promises()).toEqual([]);
  });

  it('finds somebody who wrote nothing', async () => {
    const hand = await adopted();
    await hand.edit('value-2-', 3_000, {}, 'alice');
    await restart(hand, 'value-2-', 'mallory');
    expect(hand.promises()).toEqual(['wrong author']);
  });

  it('finds somebody whose change was answered before', async () => {
    const hand = await adopted();
    await hand.edit('value-2-', 3_000, {}, 'alice');
    await restart(hand, 'value-2-', 'alice');
    await hand.edit('value-3-', 3_000, {}, 'bob');
    await restart(hand, 'value-3-', 'alice');
    expect(hand.promises()).toEqual(['wrong author']);
  });

  it('finds the author of a state where another has returned to it, unless a late record may tell of both', async () => {
    const returned = async (afterMs: number): Promise<Hand> => {
      const hand = await adopted();
      await hand.edit('value-2-', 3_000, {}, 'alice');
      await restart(hand, 'value-2-', 'alice');
      await hand.edit('value-3-', 3_000, {}, 'bob');
      await restart(hand, 'value-3-', 'bob');
      await hand.clock.advance(afterMs);
      await hand.edit('value-2-', 3_000, {}, 'bob');
      await restart(hand, 'value-2-', 'alice');
      return hand;
    };
    expect((await returned(20_000)).promises()).toEqual([]);
    expect((await returned(120_000)).promises()).toEqual(['wrong author']);
  });

  it('reads Events source by source', async () => {
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

describe('the judge of a time without watches', () => {
  it.each([
    [3_000, []],
    [4_000, ['too late']],
  ])('is content with a restart after %d ms: %s', async (afterMs, promises) => {
    const hand = await adopted();
    await hand.edit('value-2-', afterMs);
    await hand.engine('value-2-', true);
    const found = checkLate(new Case(hand.server.history()), dark);
    expect(found.map(({ promise }) => promise)).toEqual(promises);
  });

  it('asks for nothing where a change was taken back at once', async () => {
    const hand = await adopted();
    await hand.edit('value-2-', 200);
    await hand.edit('value-1-', 10_000);
    expect(checkLate(new Case(hand.server.history()), dark)).toEqual([]);
  });
});

describe('the judge of records', () => {
  const record = (fields: JsonObject): JsonObject => ({
    ...{ kind: 'ConfigMap', namespace: 'default', name: 'app', uid: 'u', digest: 'd', user: 'alice' },
    ...{ id: '1', observedAtMs: 1_000, ...fields },
  });

  it('takes one that is sent again for the same one', () => {
    const judge = new RecordJudge();
    for (const from of ['webhook-0-1', 'webhook-0-1', 'webhook-1-1']) judge.sent(from, record({}));
    expect(judge.violations).toEqual([]);
  });

  it('finds one change told twice, and not one made again', () => {
    const judge = new RecordJudge();
    judge.sent('webhook-0-1', record({}));
    judge.sent('webhook-0-1', record({ id: '2', digest: 'e' }));
    judge.sent('webhook-0-1', record({ id: '3' }));
    // The first record of this change once more, to another reconciler. It does not report the change anew.
    judge.sent('webhook-0-1', record({ id: '2', digest: 'e' }));
    judge.sent('webhook-0-1', record({ id: '5', digest: 'e', observedAtMs: 1_005 }));
    judge.sent('webhook-0-1', record({ id: '3', observedAtMs: 1_006 }));
    // A review that the webhook is asked about again, after another change.
    judge.sent('webhook-0-1', record({ id: '5', digest: 'e', observedAtMs: 1_007 }));
    judge.sent('webhook-0-1', record({ id: '6', observedAtMs: 1_008 }));
    judge.sent('webhook-0-1', record({ id: '5', digest: 'e', observedAtMs: 1_009 }));
    expect(judge.violations).toEqual([]);
    judge.sent('webhook-0-1', record({ id: '4', digest: 'e', observedAtMs: 1_010 }));
    expect(judge.violations).toHaveLength(1);
  });

  it('takes for a change made again what has another review in between, though no record of that was sent', () => {
    const judge = new RecordJudge();
    for (const id of ['1', '2', '3']) judge.asked('webhook-0-1', 'ConfigMap default/app', id, 1_000);
    judge.sent('webhook-0-1', record({}));
    judge.sent('webhook-0-1', record({ id: '3', observedAtMs: 1_001 }));
    expect(judge.violations).toEqual([]);
  });

  it.each([
    ['takes for a change made again what came just after another review, which may be told of later', 500, 0],
    ['finds one that is told twice though another review came long before', 5_000, 1],
  ])('%s', (_what, earlierMs, found) => {
    const judge = new RecordJudge();
    judge.asked('webhook-0-1', 'ConfigMap default/app', '0', 10_000 - earlierMs);
    for (const id of ['1', '1']) judge.asked('webhook-0-1', 'ConfigMap default/app', id, 10_000);
    judge.sent('webhook-0-1', record({}));
    judge.sent('webhook-0-1', record({ observedAtMs: 1_001 }));
    expect(judge.violations).toHaveLength(found);
  });

  it('finds a dry run', () => {
    const judge = new RecordJudge();
    judge.tried('1');
    judge.sent('webhook-0-1', record({}));
    expect(judge.violations.map(({ promise }) => promise)).toEqual(['record without change']);
  });
});
