import { describe, expect, it } from '@jest/globals';
import { type JsonObject } from '../apiserver/json';
import { Judge } from './judge';
import { adopted, digests, Hand } from './history.fixture';

describe('the judge, for a CronJob', () => {
  const recorded = async () => {
    const hand = await adopted();
    hand.addCronJob();
    await hand.recordOnCronJob('value-1-');
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    return hand;
  };

  it('reports nothing if a run comes before the new baseline', async () => {
    const hand = await recorded();
    await hand.run('report-1');
    await hand.recordOnCronJob('value-2-');
    expect(hand.promises()).toEqual([]);
  });

  it('reports a new baseline without a run', async () => {
    const hand = await recorded();
    await hand.recordOnCronJob('value-2-');
    expect(hand.promises()).toEqual(['baseline apart from template']);
  });

  it('reports a change without a run', async () => {
    expect((await recorded()).promises()).toEqual(['missed change']);
  });

  it('reports more runs than changes', async () => {
    const hand = await recorded();
    await hand.run('report-1');
    await hand.run('report-2');
    await hand.run('report-3');
    expect(hand.promises()).toEqual(['more restarts than changes']);
  });
});

describe('the judge, for a CronJob that was recorded while a watch was behind', () => {
  it('accepts without a run that the baseline moves to the content at the creation of the CronJob', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    hand.addCronJob();
    await hand.recordOnCronJob('value-1-');
    await hand.recordOnCronJob('value-2-');
    expect(hand.promises()).toEqual([]);
  });

  it.each([
    [
      'accepts a new baseline without a run if an excluded source changed before the creation',
      ['value-2-', 'value-2-'],
      [],
    ],
    [
      'reports a new baseline without a run if an excluded source changed after the creation',
      ['value-1-', 'value-2-'],
      ['baseline apart from template'],
    ],
  ])('%s', async (_when, [first = '', second = ''], found) => {
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
  });

  it('accepts one run for each change that the watch shows later, and no more', async () => {
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

describe('the judge, for a Job', () => {
  it('reports a Job that is recreated without a reason', async () => {
    const hand = await adopted();
    await hand.clock.advance(60_000);
    hand.addJob();
    await hand.createAnew('value-1-');
    expect(hand.promises()).toEqual(['restart without reason']);
  });

  it.each([
    ['accepts that the same restart creates it again', 'restart-1', 1_000, []],
    ['reports that another restart creates it again', 'restart-2', 1_000, ['restart without reason']],
    ['reports that the same restart creates it again much later', 'restart-1', 120_000, ['restart without reason']],
  ])('if the owner deleted the recreated Job, %s', async (_how, again, thenMs, promises) => {
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

  it('accepts a key removed before the creation of the Job as a reason, unless the process knew of it', async () => {
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

  const [lost, promises] = [{ size: 'value-3-' }, ['restart without reason']];

  it.each([
    { lost, isRead: true, rules: {}, promises: [] },
    { lost, isRead: true, rules: { shownWithinMs: 90_000 }, promises },
    { lost, isRead: true, rules: { shownWithinMs: 90_000, firstListsAreLate: true }, promises: [] },
    { lost, isRead: true, rules: { shownWithinMs: 50_000, firstListsAreLate: true }, promises },
    { lost: {}, isRead: false, rules: {}, promises: [] },
    { lost: {}, isRead: true, rules: {}, promises },
  ])(
    'accepts as a reason that the ConfigMap may have lost a key since it took the place of another: $lost $isRead $rules',
    async ({ lost, isRead, rules, promises }) => {
      const hand = await adopted();
      await hand.edit('value-2-', 3_000, lost);
      const digest = digests.whole('ConfigMap default/app', new Map(Object.entries({ color: 'value-2-', ...lost })));
      const record = (object: JsonObject): JsonObject =>
        JSON.parse(JSON.stringify(object).replace(hand.digestOf('value-2-'), digest)) as JsonObject;
      if (isRead) await hand.engine('value-2-', true, record);
      await hand.recreate('value-4-');
      await hand.clock.advance(60_000);
      hand.addJob();
      await hand.createAnew('value-4-');
      await hand.engine('value-4-', true);
      expect(hand.promises(false, rules)).toEqual(promises);
    },
  );

  it.each([
    [
      'accepts an edit before the creation of the Job as a reason if the server has compacted the former content',
      true,
      [],
    ],
    [
      'reports a restart for an edit before the creation of the Job if the server has kept the former content',
      false,
      ['restart without reason'],
    ],
  ])('%s', async (_what, forgets, promises) => {
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
  });

  it.each([
    { what: 'accepts it if the content before was compacted unread', forgets: true, reads: false, promises: [] },
    { what: 'reports it if that was kept', forgets: false, reads: false, promises: ['restart without reason'] },
    { what: 'reports it if that had been read', forgets: true, reads: true, promises: ['restart without reason'] },
  ])('for a label that was set before the creation of the Job: $what', async ({ forgets, reads, promises }) => {
    const hand = new Hand();
    await hand.lead();
    if (reads) await hand.engine('value-1-', false);
    const forgotten = hand.server.store.revision;
    await hand.label('ConfigMap', { tier: 'web' });
    await hand.clock.advance(60_000);
    hand.addJob();
    await hand.createAnew('value-1-');
    if (!reads) await hand.engine('value-1-', false);
    const judging = new Judge();
    if (forgets) judging.compacted(forgotten);
    hand.server.history().forEach((write) => judging.wrote(write));
    expect(judging.verdict(false).map(({ promise }) => promise)).toEqual(promises);
  });

  it('accepts a Job that is recreated for a change, and reports one with another image', async () => {
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

  it('reports a Job that is deleted and not recreated, by its open journal entry', async () => {
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
