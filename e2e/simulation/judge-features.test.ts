import { describe, expect, it } from '@jest/globals';
import { withValueAt, type JsonObject } from '../apiserver/json';
import { job, seed } from '../apiserver/cluster';
import { adopted, Hand } from './history.fixture';
import { pausedAtAnnotation, periodAnnotation } from './pause-text';

type Change = (object: JsonObject) => JsonObject;

const all =
  (...changes: readonly Change[]): Change =>
  (object) =>
    changes.reduce((changed, change) => change(changed), object);
const paused =
  (value: boolean | undefined): Change =>
  (object) =>
    withValueAt(object, ['spec', 'paused'], value);
const annotated =
  (key: string, value: string | undefined): Change =>
  (object) =>
    withValueAt(object, ['metadata', 'annotations', key], value);
const noted = (hand: Hand): Change => annotated(pausedAtAnnotation, new Date(hand.clock.nowMs()).toISOString());
const letGo = all(paused(false), annotated(pausedAtAnnotation, undefined));

describe('the judge of pauses', () => {
  /** A Deployment that requests a pause of 20 s is owed a restart. */
  async function asked(): Promise<Hand> {
    const hand = await adopted();
    await hand.write('dev', annotated(periodAnnotation, '20s'));
    await hand.edit('value-2-');
    return hand;
  }

  async function held(): Promise<Hand> {
    const hand = await asked();
    await hand.engine('value-2-', true, all(paused(true), noted(hand)));
    return hand;
  }

  it('finds nothing where it begins with the restart and ends in its time', async () => {
    const hand = await held();
    await hand.clock.advance(21_000);
    await hand.write('engine-0-1', letGo);
    expect(hand.promises()).toEqual([]);
  });

  it('finds a Deployment that is not let go', async () => {
    const hand = await held();
    await hand.clock.advance(60_000);
    expect(hand.promises()).toEqual(['wrong pause']);
  });

  it.each([
    ['nothing', (): Change => (object) => object],
    ['its note alone', noted],
    ['the pause alone', () => paused(true)],
  ])('finds a restart with %s of the pause that is asked for', async (_what, change) => {
    const hand = await asked();
    await hand.engine('value-2-', true, change(hand));
    expect(hand.promises()).toContain('wrong pause');
  });

  it.each([
    ['a restart that nobody asked to hold', true],
    ['no restart', false],
  ])('finds a pause that begins with %s', async (_what, restart) => {
    const hand = await adopted();
    if (!restart) await hand.write('dev', annotated(periodAnnotation, '20s'));
    await hand.edit('value-2-');
    await hand.engine('value-2-', restart, all(paused(true), noted(hand)));
    expect(hand.promises()).toContain('wrong pause');
  });

  it.each([
    ['too early', 10_000, letGo, true, ['wrong pause']],
    ['too early by a clock that is off', 10_000, letGo, false, []],
    [
      'together with the replicas',
      21_000,
      all(letGo, (o) => withValueAt(o, ['spec', 'replicas'], 7)),
      true,
      ['wrong pause'],
    ],
    ['by its note alone', 21_000, annotated(pausedAtAnnotation, undefined), true, ['wrong pause']],
    ['by the pause alone', 21_000, paused(false), true, ['wrong pause']],
  ] as const)('judges one that ends %s', async (_how, afterMs, change, clocksAreRight, promises) => {
    const hand = await held();
    await hand.clock.advance(afterMs);
    await hand.write('engine-0-1', change);
    expect(hand.promises(false, { clocksAreRight })).toEqual(expect.arrayContaining([...promises]));
    expect(hand.promises(false, { clocksAreRight }).length > 0).toBe(promises.length > 0);
  });

  it.each([
    ['stays', annotated(pausedAtAnnotation, undefined), []],
    ['is undone', all(paused(true), annotated(pausedAtAnnotation, undefined)), ['wrong pause']],
  ])('judges whether a resume by hand %s', async (_how, change, promises) => {
    const hand = await held();
    await hand.write('dev', paused(undefined));
    await hand.write('engine-0-1', change);
    expect(hand.promises()).toEqual(promises);
  });

  it('finds a pause of somebody else that is taken for ours', async () => {
    const hand = await asked();
    await hand.write('dev', paused(true));
    await hand.engine('value-2-', true, noted(hand));
    expect(hand.promises()).toEqual(['wrong pause']);
  });
});

describe('the judge of what comes and goes', () => {
  const onDelete = { reloadOnDelete: true };
  const onCreate = { reloadOnCreate: true };

  it('finds a deletion that nothing answered, where it is asked for, and an answer where it is not', async () => {
    const hand = await adopted(async ({ clock }) => await clock.advance(120_000));
    await hand.deleteSource();
    expect(hand.promises()).toEqual([]);
    expect(hand.promises(false, onDelete)).toEqual(['missed change', 'missed change']);
    await hand.engine(undefined, true);
    expect(hand.promises(false, onDelete)).toEqual([]);
    expect(hand.promises()).toEqual(['restart without reason']);
  });

  it('finds a second answer to one deletion', async () => {
    const hand = await adopted();
    await hand.deleteSource();
    await hand.engine(undefined, true);
    await hand.engine(undefined, true);
    expect(hand.promises(false, onDelete)).toEqual(['restart without reason']);
  });

  it('finds a creation that nothing answered, where it is asked for', async () => {
    const hand = await adopted();
    await hand.deleteSource();
    await hand.engine(undefined, true);
    await hand.clock.advance(3_000);
    hand.createSource('value-3-');
    expect(hand.promises(false, { ...onCreate, ...onDelete })).toEqual(['missed change', 'missed change']);
    expect(hand.promises(false, onDelete)).toEqual(['missed change']);
    await hand.engine('value-3-', true);
    expect(hand.promises(false, { ...onCreate, ...onDelete })).toEqual([]);
  });
});

describe('the judge of selected sources', () => {
  const selecting = { selectsSources: true };
  const yes = { reload: 'yes' };

  const labelled = async () => await adopted(async (hand) => await hand.label('ConfigMap', yes));

  it('finds a record of what a source was without the label', async () => {
    const hand = await adopted();
    expect(hand.promises(false, selecting)).toContain('baseline apart from template');
  });

  it.each([
    ['with the label', yes, ['missed change', 'missed change']],
    ['without', {}, []],
  ])('asks for an answer to what changed %s', async (_how, labels, promises) => {
    const hand = await labelled();
    await hand.label('ConfigMap', labels);
    await hand.edit('value-2-');
    expect(hand.promises(false, selecting)).toEqual(promises);
  });

  it('compares a source that is selected again with what it was', async () => {
    const hand = await labelled();
    await hand.label('ConfigMap', {});
    await hand.edit('value-2-');
    await hand.label('ConfigMap', yes);
    expect(hand.promises(false, selecting)).toEqual(['missed change', 'missed change']);
    await hand.engine('value-2-', true);
    expect(hand.promises(false, selecting)).toEqual([]);
  });

  it.each([
    ['another process, which may never have seen what it was', 'engine-0-2', []],
    ['the same', 'engine-0-1', ['missed change']],
  ])(
    'where the label came unseen and the source was changed, it is first recorded by %s',
    async (_who, user, promises) => {
      const hand = new Hand();
      await hand.lead();
      await hand.annotate('reloader.stakater.com/auto', 'false');
      await hand.annotate('reloader.stakater.com/auto', undefined);
      await hand.label('ConfigMap', yes);
      // The watch was behind, so the engine records that the source does not exist.
      await hand.engine(undefined, false);
      await hand.edit('value-2-');
      await hand.lead(user);
      await hand.engine('value-2-', false, undefined, user);
      expect(hand.promises(false, { ...selecting, autoReloadAll: true })).toEqual(promises);
    },
  );

  it('takes whoever changed a source for its author, and not who selected it', async () => {
    const hand = await labelled();
    await hand.label('ConfigMap', {});
    await hand.edit('value-2-', 3_000, {}, 'alice');
    await hand.label('ConfigMap', yes);
    const id = await hand.restart('value-2-');
    await hand.event(`ConfigMap app: content changed by alice. Deployment restarted (env-vars, ${id})`);
    expect(hand.promises(false, selecting)).toEqual([]);
  });
});

describe('the judge of selected namespaces', () => {
  const selecting = { selectsNamespaces: true };
  const prod = { env: 'prod' };
  const looked = async () => await adopted(async (hand) => await hand.label('Namespace', prod));

  it('asks for nothing in one that is left out, and finds what is done there long after', async () => {
    const hand = await looked();
    await hand.label('Namespace', {});
    await hand.edit('value-2-');
    expect(hand.promises(false, selecting)).toEqual([]);
    await hand.clock.advance(60_000);
    await hand.engine('value-2-', true);
    expect(hand.promises(false, selecting)).toEqual(['left out']);
  });

  it.each([
    ['finds the deletion of a Job there long after', false, ['left out']],
    ['takes it for what a journal entry from before began', true, []],
  ])('%s', async (_what, isJournaled, promises) => {
    const hand = await looked();
    seed(hand.server, job({ name: 'migrate', annotations: { 'reloader.stakater.com/auto': 'true' } }));
    if (isJournaled) await hand.openJournal();
    await hand.clock.advance(1_000);
    await hand.label('Namespace', {});
    await hand.clock.advance(60_000);
    await hand.deleteJob('engine-0-1');
    expect(hand.promises(false, selecting).filter((promise) => promise === 'left out')).toEqual(promises);
  });

  it('takes what is done soon after for what was under way', async () => {
    const hand = await looked();
    await hand.edit('value-2-');
    await hand.label('Namespace', {});
    await hand.engine('value-2-', true);
    expect(hand.promises(false, selecting)).toEqual([]);
  });

  it('finds what changed while it was left out and is not answered when it is back', async () => {
    const hand = await looked();
    await hand.label('Namespace', {});
    await hand.edit('value-2-');
    await hand.label('Namespace', prod);
    expect(hand.promises(false, selecting)).toEqual(['missed change', 'missed change']);
    await hand.engine('value-2-', true);
    expect(hand.promises(false, selecting)).toEqual([]);
  });

  it('takes a source that came to be used while it was left out as it was when it is back', async () => {
    const hand = await looked();
    await hand.label('Namespace', {});
    await hand.createSecret('dev');
    await hand.write('dev', annotated('secret.reloader.stakater.com/reload', 'db'));
    await hand.clock.advance(3_000);
    await hand.editSecret('secret-2-');
    await hand.label('Namespace', prod);
    await hand.engine('value-1-', false, (object) => object, 'engine-0-1', 'secret-2-');
    expect(hand.promises(false, selecting)).toEqual([]);
    await hand.editSecret('secret-3-');
    expect(hand.promises(false, selecting)).toEqual(['missed change', 'missed change']);
  });

  it('finds a restart in one that is left out by its name', async () => {
    const hand = await adopted();
    await hand.clock.advance(60_000);
    expect(hand.promises(false, { namespacesToIgnore: ['default'] })).toEqual(['left out']);
  });
});
