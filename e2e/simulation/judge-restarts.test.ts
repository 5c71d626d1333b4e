import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../apiserver/json';
import { seededRandom } from '../apiserver/seeded-random';
import { Draw } from './draw';
import { adopted, backUp, type Hand } from './history.fixture';
import { Judge, type Violation } from './judge';
import { Loop, startMs } from './loop';
import { SimulatedProcess } from './process';

describe('the judge, for the ids of restarts', () => {
  it('accepts restarts that each have their own id, which the Event repeats', async () => {
    const hand = await adopted();
    for (const color of ['value-2-', 'value-3-']) {
      await hand.edit(color);
      const id = await hand.restart(color);
      await hand.event(`ConfigMap app: content changed. Deployment restarted (env-vars, ${id})`);
    }
    expect(hand.promises()).toEqual([]);
  });

  it('reports a restart with the id of a former one', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    const id = await hand.restart('value-2-');
    await hand.edit('value-3-');
    await hand.restart('value-3-', { id });
    expect(hand.promises()).toEqual(['restart id of another']);
  });

  it('does not count the former restart that a rollback brings back as a new one', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.restart('value-2-');
    const former = hand.server.history().at(-1)?.object.metadata.annotations;
    await hand.edit('value-3-');
    await hand.restart('value-3-');
    await hand.write('dev', (object) => ({
      ...object,
      metadata: { ...(object['metadata'] as object), annotations: { ...former } },
    }));
    expect(hand.promises()).not.toContain('restart id of another');
  });

  it.each([
    ['an id that no restart has', () => 'c0ffee00', 1],
    ['an id that another Event has named', (id: string) => id, 2],
  ])('reports an Event with %s', async (_what, told, events) => {
    const hand = await adopted();
    await hand.edit('value-2-');
    const id = await hand.restart('value-2-');
    for (let left = events; left > 0; left--) {
      await hand.event(`ConfigMap app: content changed. Deployment restarted (env-vars, ${told(id)})`);
    }
    expect(hand.promises()).toEqual(['restart id of another']);
  });

  it.each<[string, Readonly<Record<string, string>>, boolean]>([
    [
      'accepts an Event of a Job that is left to its next run and has no restart annotation',
      { 'reroll.dev/job-policy': 'next-run' },
      false,
    ],
    ['reports an Event of a Job that has no restart annotation with that id', {}, true],
  ])('%s', async (_what, annotations, isFound) => {
    const hand = await adopted((settling) => {
      settling.addJob(annotations);
      return Promise.resolve();
    });
    const did = 'not run now: the change takes effect at its next run';
    await hand.event(`ConfigMap app: content changed. Job ${did} (env-vars, c0ffee00)`, 'Job', 'migrate');
    expect(hand.promises().includes('restart id of another')).toBe(isFound);
  });
});

describe('the judge, for authors that the leader knew', () => {
  /**
   * Alice changes the ConfigMap, and `restartedAfterMs` later the leader restarts `web` for it, and names `by`. The
   * leader has received `records`. `meanwhile` happens just before the restart.
   */
  async function answered(
    records: readonly (JsonObject & { readonly saidMs?: number })[],
    by: readonly string[] = [],
    restartedAfterMs = 3_000,
    meanwhile: (hand: Hand) => Promise<void> = async () => undefined,
  ): Promise<readonly Violation['promise'][]> {
    const hand = await adopted();
    await hand.clock.advance(60_000);
    const changedMs = hand.clock.nowMs();
    await hand.edit('value-2-', restartedAfterMs, {}, 'alice');
    await meanwhile(hand);
    await hand.restart('value-2-', { by });
    const judge = new Judge();
    for (const write of hand.server.history()) {
      if (write.atMs > changedMs) records.forEach((record) => judge.delivered(delivery(hand, changedMs, record)));
      judge.wrote(write);
    }
    return [...new Set(judge.violations.map(({ promise }) => promise))];
  }

  const process = new SimulatedProcess('engine-0-1', new Loop(new Draw(1).random), seededRandom(1));

  function delivery(
    hand: Hand,
    changedMs: number,
    { saidMs = 100, isTaken = true, ...fields }: JsonObject & { readonly saidMs?: number },
  ) {
    const { uid = '' } = hand.server.store.get(hand.server.kindOf('ConfigMap'), 'default/app')?.metadata ?? {};
    const record = {
      ...{ kind: 'ConfigMap', namespace: 'default', name: 'app', uid, user: 'alice', keyId: 'k' },
      ...{ digest: hand.digestOf('value-2-'), observedAtMs: changedMs, ...fields },
    };
    return { record, to: process, atMs: changedMs + saidMs - startMs, isTaken: isTaken === true };
  }

  it('accepts a restart that names the author in the change record', async () => {
    expect(await answered([{}], ['alice'])).toEqual([]);
  });

  it('reports a restart that does not name the author in the change record', async () => {
    expect(await answered([{}])).toEqual(['author left out']);
    expect(await answered([{}], ['bob'])).toEqual(['wrong author', 'author left out']);
    const changed = { added: [], changed: ['color'], removed: ['size'] };
    expect(await answered([{ changed }])).toEqual(['author left out']);
  });

  it.each([
    ['received no record', []],
    ['received a record of another user', [{ user: 'bob' }]],
    ['received a record of another object', [{ uid: 'another' }]],
    ['received a record of other content', [{ digest: 'x'.repeat(22) }]],
    ['received a record under another digest key', [{ keyId: 'other' }]],
    ['had no room for the record', [{ isTaken: false }]],
    ['received the record after it had decided', [{ saidMs: 2_900 }]],
    ['received a record with a time long ago', [{ observedAtMs: 0 }]],
    ['received a record of other changed keys', [{ changed: { added: [], changed: [], removed: ['size'] } }]],
  ])('demands no author from a process that %s', async (_what, records) => {
    expect(await answered(records as readonly JsonObject[])).toEqual([]);
  });

  it('demands no author if the restart comes later than a record is kept', async () => {
    expect(await answered([{}], [], 40_000)).toEqual([]);
  });

  const leftOut = ['author left out'];
  const edited = async (hand: Hand, color: string): Promise<void> => await hand.edit(color, 100, {}, 'bob');

  it.each([
    ['demands no author for an object that was recreated', async (hand: Hand) => await hand.recreate('value-3-'), []],
    [
      'demands the author of a state that was followed by one other state',
      async (hand: Hand) => await edited(hand, 'value-3-'),
      leftOut,
    ],
    [
      'demands no author for a state that was followed by two other states',
      async (hand: Hand) => {
        await edited(hand, 'value-3-');
        await edited(hand, 'value-4-');
      },
      [],
    ],
  ])('%s before the restart', async (_what, meanwhile, promises) => {
    expect(await answered([{}], [], 3_000, meanwhile)).toEqual(promises);
  });

  it.each([
    ['demands no author if the change record came after a state', true, false, []],
    ['demands the author of a record that came before all states', false, false, leftOut],
    ['demands no author if the workload had restarted for a state', false, true, []],
  ])('%s that a restore of etcd undid', async (_what, isLate, isAnswered, promises) => {
    const hand = await adopted();
    const changedMs = hand.clock.nowMs();
    await hand.edit('value-2-', 3_000, {}, 'alice');
    const { judge, restore } = backUp(hand);
    const deliver = (): void => judge.delivered(delivery(hand, changedMs, { saidMs: hand.clock.nowMs() - changedMs }));
    if (!isLate) deliver();
    await hand.clock.advance(100);
    await edited(hand, 'value-3-');
    if (isLate) deliver();
    restore();
    if (isAnswered) await hand.restart('value-3-');
    await hand.clock.advance(20_000);
    await hand.restart('value-2-', { by: [] });
    expect(judge.violations.map(({ promise }) => promise)).toEqual(promises);
  });
});
