import { describe, expect, it } from '@jest/globals';
import { withValueAt, type JsonObject } from '../apiserver/json';
import { Case } from './case';
import { Judge } from './judge';
import { adopted } from './history.fixture';

describe('the judge', () => {
  it('finds nothing in a history in which each change is answered once', async () => {
    const hand = await adopted();
    for (const color of ['value-2-', 'value-3-']) {
      await hand.edit(color);
      await hand.engine(color, true);
    }
    expect(hand.promises(true)).toEqual([]);
  });

  it('finds a change that nothing answered', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    // Once because of what its pods run with, and once because of what its baseline records.
    expect(hand.promises()).toEqual(['missed change', 'missed change']);
  });

  it('takes a change that was taken back for none', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.edit('value-1-');
    expect(hand.promises()).toEqual([]);
  });

  it('takes a change within the second of the creation for none if it is taken back, and only then', async () => {
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

  it('finds a restart for nothing', async () => {
    const hand = await adopted();
    await hand.engine('value-1-', true);
    expect(hand.promises()).toEqual(['restart without reason']);
  });

  it('finds a second restart for one change', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    await hand.engine('value-2-', true);
    expect(hand.promises(true)).toEqual(['restart without reason']);
  });

  it('finds a template written without its baseline', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    const dropped = (object: JsonObject): JsonObject =>
      withValueAt(object, ['metadata', 'annotations', 'reroll.dev/baseline'], undefined);
    await hand.engine('value-2-', true, dropped);
    expect(hand.promises()).toContain('baseline apart from template');
  });

  it('finds a baseline of a content that never was', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-9-', true);
    expect(hand.promises()).toEqual(['baseline apart from template']);
  });

  it('finds a baseline that goes back', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    await hand.engine('value-1-', true);
    expect(hand.promises()).toContain('baseline apart from template');
  });

  it('finds a write of what is not ours', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true, (object) => withValueAt(object, ['spec', 'replicas'], 5));
    expect(hand.promises()).toEqual(['foreign write']);
  });

  it('finds a write that was not owed', async () => {
    const hand = await adopted();
    await hand.engine('value-1-', false);
    expect(hand.promises()).toEqual(['foreign write']);
  });

  it('finds a value in an annotation', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    const telling = (object: JsonObject): JsonObject =>
      withValueAt(object, ['metadata', 'annotations', 'reroll.dev/last-restart'], 'now value-2-');
    await hand.engine('value-2-', true, telling);
    expect(hand.promises()).toEqual(['leak']);
  });

  it('finds a writer that does not hold the Lease', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true, undefined, 'engine-1-1');
    expect(hand.promises()).toEqual(['two writers']);
  });

  it('finds two restarts for two changes of one settle window', async () => {
    const hand = await adopted();
    for (const color of ['value-2-', 'value-3-']) {
      await hand.edit(color, 300);
      await hand.engine(color, true);
    }
    expect(hand.promises()).toEqual([]);
    expect(hand.promises(true)).toEqual(['not exactly once']);
  });

  it('finds a record of what is no more', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    await hand.edit('value-3-');
    await hand.edit('value-2-');
    expect(hand.promises()).toEqual([]);
    await hand.strip();
    expect(hand.promises()).toEqual(['missed change']);
  });

  it('takes one restart more for what somebody took away, and not two', async () => {
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
});

describe('the judge of a CronJob', () => {
  const recorded = async () => {
    const hand = await adopted();
    hand.addCronJob();
    await hand.recordOnCronJob('value-1-');
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    return hand;
  };

  it('finds nothing where a run comes before the record', async () => {
    const hand = await recorded();
    await hand.run('report-1');
    await hand.recordOnCronJob('value-2-');
    expect(hand.promises()).toEqual([]);
  });

  it('finds a record that moved on without a run', async () => {
    const hand = await recorded();
    await hand.recordOnCronJob('value-2-');
    expect(hand.promises()).toEqual(['baseline apart from template']);
  });

  it('finds a change that nothing answered', async () => {
    expect((await recorded()).promises()).toEqual(['missed change']);
  });

  it('finds more runs than writes', async () => {
    const hand = await recorded();
    await hand.run('report-1');
    await hand.run('report-2');
    await hand.run('report-3');
    expect(hand.promises()).toEqual(['more restarts than changes']);
  });
});

describe('the judge of a CronJob that was recorded from a watch that was behind', () => {
  it('takes a record that moves on to what was there at its creation for no change', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    hand.addCronJob();
    await hand.recordOnCronJob('value-1-');
    await hand.recordOnCronJob('value-2-');
    expect(hand.promises()).toEqual([]);
  });

  it.each([
    ['before its creation', ['value-2-', 'value-2-'], []],
    ['after it', ['value-1-', 'value-2-'], ['baseline apart from template']],
  ])(
    'takes a change of a source that is left out into account: %s',
    async (_when, [first = '', second = ''], found) => {
      const hand = await adopted();
      await hand.label('ConfigMap', { tier: 'dev' });
      await hand.edit(first);
      hand.addCronJob();
      await hand.recordOnCronJob('value-1-');
      await hand.edit(second);
      await hand.label('ConfigMap', {});
      await hand.engine('value-2-', true);
      await hand.recordOnCronJob('value-2-');
      expect(hand.promises(false, { leavesOutSources: true })).toEqual(found);
    },
  );

  it('takes a run for each change that comes forth later, and no more', async () => {
    const hand = await adopted();
    for (const color of ['value-2-', 'value-3-']) {
      await hand.edit(color);
      await hand.engine(color, true);
    }
    await hand.clock.advance(60_000);
    hand.addCronJob();
    await hand.recordOnCronJob('value-1-');
    await hand.run('report-1');
    await hand.recordOnCronJob('value-2-');
    await hand.run('report-2');
    await hand.recordOnCronJob('value-3-');
    expect(hand.promises()).toEqual([]);
    await hand.run('report-3');
    expect(hand.promises()).toEqual(['more restarts than changes']);
  });
});

describe('the judge of a Job', () => {
  it('finds one created anew for nothing', async () => {
    const hand = await adopted();
    await hand.clock.advance(60_000);
    hand.addJob();
    await hand.createAnew('value-1-');
    expect(hand.promises()).toEqual(['restart without reason']);
  });

  it.each([
    ['by the same restart', 'restart-1', 1_000, []],
    ['by another', 'restart-2', 1_000, ['restart without reason']],
    ['long after it was there', 'restart-1', 120_000, ['restart without reason']],
  ])('judges one that its owner deleted and that is created again %s', async (_how, again, thenMs, promises) => {
    const hand = await adopted();
    hand.addJob();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    await hand.deleteJob('engine-0-1');
    await hand.createJob('value-2-', 'restart-1');
    await hand.clock.advance(thenMs);
    await hand.deleteJob('dev');
    await hand.createJob('value-2-', again);
    expect(hand.promises()).toEqual(promises);
  });

  it('takes a removal from before its birth for a reason, unless the process knew of it', async () => {
    for (const [knew, promises] of [
      [false, []],
      [true, ['restart without reason']],
    ] as const) {
      const hand = await adopted();
      await hand.edit('value-2-', 3_000, { size: 'value-3-' });
      await hand.edit('value-2-');
      if (knew) await hand.engine('value-2-', true);
      await hand.clock.advance(60_000);
      hand.addJob();
      await hand.createAnew('value-2-');
      if (!knew) await hand.engine('value-2-', true);
      expect(hand.promises()).toEqual(promises);
    }
  });

  it.each([
    ['the server has forgotten', true, []],
    ['the server remembers', false, ['restart without reason']],
  ])(
    'takes an edit from before its birth for a reason where %s what was there before',
    async (_what, forgets, promises) => {
      const hand = await adopted();
      const forgotten = hand.server.store.revision;
      await hand.edit('value-2-');
      await hand.clock.advance(60_000);
      hand.addJob();
      await hand.createAnew('value-2-');
      await hand.engine('value-2-', true);
      const judging = new Judge();
      if (forgets) judging.compacted(forgotten);
      hand.server.history().forEach((write) => judging.wrote(write));
      expect(judging.verdict(false).map(({ promise }) => promise)).toEqual(promises);
    },
  );

  it('finds nothing in one created anew for a change, unless it is another', async () => {
    const hand = await adopted();
    hand.addJob();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    await hand.createAnew('value-2-');
    expect(hand.promises()).toEqual([]);
    await hand.edit('value-3-');
    await hand.engine('value-3-', true);
    await hand.createAnew('value-3-', 'registry.example/other:1');
    expect(hand.promises()).toEqual(['foreign write']);
  });

  it('finds one that is gone and not created anew, though nothing says any more what it used', async () => {
    const hand = await adopted();
    hand.addJob();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    await hand.openJournal();
    await hand.deleteJob('engine-0-1');
    expect(hand.promises()).toEqual(['missed change']);
    await hand.createJob('value-2-', 'restart-9');
    await hand.closeJournal();
    expect(hand.promises()).toEqual([]);
  });
});

describe('the processes that ever took the Lease', () => {
  it('are known with the write by which they took it: one may freeze before it renews that', async () => {
    const { server } = await adopted();
    const history = server.history();
    const taken = history.findIndex(({ kind }) => kind.kind === 'Lease');
    expect(new Case(history.slice(0, taken)).processes).toEqual([]);
    expect(new Case(history.slice(0, taken + 1)).processes).toEqual(['engine-0-1']);
  });
});
