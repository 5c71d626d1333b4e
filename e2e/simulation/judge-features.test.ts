import { describe, expect, it } from '@jest/globals';
import { stringAt, withValueAt, type JsonObject } from '../apiserver/json';
import { envFromKey, fromConfigMap, job, seed } from '../apiserver/cluster';
import { adopted, digests, Hand } from './history.fixture';
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

describe('the judge, for pauses', () => {
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

  it('reports nothing if the pause begins with the restart and ends on time', async () => {
    const hand = await held();
    await hand.clock.advance(21_000);
    await hand.write('engine-0-1', letGo);
    expect(hand.promises()).toEqual([]);
  });

  it('reports a Deployment that stays paused after the period', async () => {
    const hand = await held();
    await hand.clock.advance(60_000);
    expect(hand.promises()).toEqual(['wrong pause']);
  });

  it.each([
    ['neither spec.paused nor paused-at', (): Change => (object) => object],
    ['only paused-at', noted],
    ['only spec.paused', () => paused(true)],
  ])('reports a restart that sets %s although a pause is requested', async (_what, change) => {
    const hand = await asked();
    await hand.engine('value-2-', true, change(hand));
    expect(hand.promises()).toContain('wrong pause');
  });

  it.each([
    ['with a restart although no pause is requested', true],
    ['without a restart', false],
  ])('reports a pause that begins %s', async (_what, restart) => {
    const hand = await adopted();
    if (!restart) await hand.write('dev', annotated(periodAnnotation, '20s'));
    await hand.edit('value-2-');
    await hand.engine('value-2-', restart, all(paused(true), noted(hand)));
    expect(hand.promises()).toContain('wrong pause');
  });

  it.each([
    ['too early', 10_000, letGo, true, ['wrong pause']],
    ['too early, if clocks may be wrong', 10_000, letGo, false, []],
    [
      'in a write that also changes the replicas',
      21_000,
      all(letGo, (o) => withValueAt(o, ['spec', 'replicas'], 7)),
      true,
      ['wrong pause'],
    ],
    ['without a change of spec.paused', 21_000, annotated(pausedAtAnnotation, undefined), true, ['wrong pause']],
    ['without the removal of paused-at', 21_000, paused(false), true, ['wrong pause']],
  ] as const)('judges a pause that ends %s', async (_how, afterMs, change, clocksAreRight, promises) => {
    const hand = await held();
    await hand.clock.advance(afterMs);
    await hand.write('engine-0-1', change);
    expect(hand.promises(false, { clocksAreRight })).toEqual(expect.arrayContaining([...promises]));
    expect(hand.promises(false, { clocksAreRight }).length > 0).toBe(promises.length > 0);
  });

  it.each([
    ['accepts that the Deployment stays resumed', annotated(pausedAtAnnotation, undefined), []],
    [
      'reports that the Deployment is paused again',
      all(paused(true), annotated(pausedAtAnnotation, undefined)),
      ['wrong pause'],
    ],
  ])('after a resume by hand, %s', async (_how, change, promises) => {
    const hand = await held();
    await hand.write('dev', paused(undefined));
    await hand.write('engine-0-1', change);
    expect(hand.promises()).toEqual(promises);
  });

  it('reports that a pause by somebody else is treated as a pause by Reroll', async () => {
    const hand = await asked();
    await hand.write('dev', paused(true));
    await hand.engine('value-2-', true, noted(hand));
    expect(hand.promises()).toEqual(['wrong pause']);
  });
});

describe('the judge, for created and deleted sources', () => {
  const onDelete = { reloadOnDelete: true };
  const onCreate = { reloadOnCreate: true };

  it('reports a deletion without a restart if deletions restart, and a restart if they do not', async () => {
    const hand = await adopted(async ({ clock }) => await clock.advance(120_000));
    await hand.deleteSource();
    expect(hand.promises()).toEqual([]);
    expect(hand.promises(false, onDelete)).toEqual(['missed change', 'missed change']);
    await hand.engine(undefined, true);
    expect(hand.promises(false, onDelete)).toEqual([]);
    expect(hand.promises()).toEqual(['restart without reason']);
  });

  it('reports a second restart for one deletion', async () => {
    const hand = await adopted();
    await hand.deleteSource();
    await hand.engine(undefined, true);
    await hand.engine(undefined, true);
    expect(hand.promises(false, onDelete)).toEqual(['restart without reason']);
  });

  it('accepts a restart for the deletion of a source that was recorded in memory alone, which the number tells', async () => {
    const path = ['metadata', 'annotations', 'reroll.dev/baseline'];
    const renumbered = (object: JsonObject): JsonObject =>
      withValueAt(object, path, stringAt(object, ...path)?.replace('"n":3', '"n":4'));
    const hand = await adopted();
    await hand.deleteSource();
    await hand.engine(undefined, true);
    hand.createSource('value-3-');
    await hand.deleteSource();
    await hand.engine(undefined, true, renumbered);
    expect(hand.promises(false, onDelete)).toEqual([]);
  });

  it('reports a creation without a restart if creations restart', async () => {
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

describe('the judge, if a label selects sources', () => {
  const selecting = { selectsSources: true };
  const yes = { reload: 'yes' };

  const labelled = async () => await adopted(async (hand) => await hand.label('ConfigMap', yes));

  it('reports a baseline with the content that a source had without the label', async () => {
    const hand = await adopted();
    expect(hand.promises(false, selecting)).toContain('baseline apart from template');
  });

  it.each([
    ['demands a restart for a change of a source with the label', yes, ['missed change', 'missed change']],
    ['demands no restart for a change of a source without the label', {}, []],
  ])('%s', async (_how, labels, promises) => {
    const hand = await labelled();
    await hand.label('ConfigMap', labels);
    await hand.edit('value-2-');
    expect(hand.promises(false, selecting)).toEqual(promises);
  });

  it('compares a source that is selected again with its recorded content', async () => {
    const hand = await labelled();
    await hand.label('ConfigMap', {});
    await hand.edit('value-2-');
    await hand.label('ConfigMap', yes);
    expect(hand.promises(false, selecting)).toEqual(['missed change', 'missed change']);
    await hand.engine('value-2-', true);
    expect(hand.promises(false, selecting)).toEqual([]);
  });

  it.each([
    ['accepts a record by another process, which may not know the former content', 'engine-0-2', 'first', 0, []],
    ['accepts one by the same process, if it had just begun to lead', 'engine-0-1', 'last', 0, []],
    ['accepts one by the same process, if its watch was broken', 'engine-0-1', 'first', 90_000, []],
    ['reports one after longer than a watch is behind', 'engine-0-1', 'first', 90_000, ['missed change'], 120_000],
    ['reports one without a restart by the same process, later', 'engine-0-1', 'first', 0, ['missed change']],
  ] as const)(
    'if a source changed after it was recorded as absent, %s',
    async (_who, user, leads, knownWithinMs, promises, behindMs: number = 0) => {
      const hand = new Hand();
      if (leads === 'first') await hand.lead();
      await hand.annotate('reloader.stakater.com/auto', 'false');
      await hand.annotate('reloader.stakater.com/auto', undefined);
      await hand.label('ConfigMap', yes);
      if (leads === 'last') await hand.lead();
      await hand.clock.advance(behindMs);
      // The watch was behind, so the engine records that the source does not exist.
      await hand.engine(undefined, false);
      await hand.edit('value-2-');
      await hand.lead(user);
      await hand.engine('value-2-', false, undefined, user);
      const rules = { ...selecting, autoReloadAll: true, knownWithinMs };
      expect(hand.promises(false, rules)).toEqual(promises);
    },
  );

  it.each([
    [true, []],
    [false, ['missed change']],
  ])(
    'if first lists are late: %j, of a source that came, and was edited, before anything was recorded reports %j',
    async (firstListsAreLate, promises) => {
      const hand = new Hand();
      await hand.lead();
      await hand.label('ConfigMap', yes);
      await hand.edit('value-2-');
      await hand.engine('value-2-', false);
      const rules = { ...selecting, reloadOnCreate: true, autoReloadAll: true, firstListsAreLate };
      expect(hand.promises(false, rules)).toEqual(promises);
    },
  );

  it('expects the user who changed a source as its author, not the user who selected it', async () => {
    const hand = await labelled();
    await hand.label('ConfigMap', {});
    await hand.edit('value-2-', 3_000, {}, 'alice');
    await hand.label('ConfigMap', yes);
    const id = await hand.restart('value-2-');
    await hand.event(`ConfigMap app: content changed by alice. Deployment restarted (env-vars, ${id})`);
    expect(hand.promises(false, selecting)).toEqual([]);
  });
});

describe('the judge, if a label selects namespaces', () => {
  const selecting = { selectsNamespaces: true };
  const prod = { env: 'prod' };
  const looked = async () => await adopted(async (hand) => await hand.label('Namespace', prod));

  it('demands nothing in a namespace without the label, and reports a restart long after the label was removed', async () => {
    const hand = await looked();
    await hand.label('Namespace', {});
    await hand.edit('value-2-');
    expect(hand.promises(false, selecting)).toEqual([]);
    await hand.clock.advance(60_000);
    await hand.engine('value-2-', true);
    expect(hand.promises(false, selecting)).toEqual(['left out']);
  });

  it.each([
    ['reports the deletion of a Job long after the label was removed', 'never', ['left out']],
    ['accepts the deletion of a Job whose journal entry is older than the removal of the label', 'before', []],
    ['accepts it, too, if the entry was written before its author could know of the removal', 'soon after', []],
    ['reports it if the entry was written later', 'long after', ['left out']],
  ])('%s', async (_what, written, promises) => {
    const hand = await looked();
    seed(hand.server, job({ name: 'migrate', annotations: { 'reloader.stakater.com/auto': 'true' } }));
    if (written === 'before') await hand.openJournal();
    await hand.clock.advance(1_000);
    await hand.label('Namespace', {});
    await hand.clock.advance(1_000);
    if (written === 'soon after') await hand.openJournal();
    await hand.clock.advance(60_000);
    if (written === 'long after') await hand.openJournal();
    await hand.deleteJob('engine-0-1');
    expect(hand.promises(false, selecting).filter((promise) => promise === 'left out')).toEqual(promises);
  });

  it('accepts a restart soon after the label was removed', async () => {
    const hand = await looked();
    await hand.edit('value-2-');
    await hand.label('Namespace', {});
    await hand.engine('value-2-', true);
    expect(hand.promises(false, selecting)).toEqual([]);
  });

  it('demands a restart for a change made without the label, once the label is back', async () => {
    const hand = await looked();
    await hand.label('Namespace', {});
    await hand.edit('value-2-');
    await hand.label('Namespace', prod);
    expect(hand.promises(false, selecting)).toEqual(['missed change', 'missed change']);
    await hand.engine('value-2-', true);
    expect(hand.promises(false, selecting)).toEqual([]);
  });

  it('compares a key that came into use without the label with its value when the label is back', async () => {
    const hand = await looked();
    const uses = (key: string): Change => {
      const at = ['spec', 'template', 'spec', 'containers'];
      const env = [envFromKey('Secret', 'db', key)];
      return (object) => withValueAt(object, at, [{ name: 'app', image: 'app', envFrom: [fromConfigMap('app')], env }]);
    };
    const record = async (n: number, key: string, value?: string): Promise<void> => {
      const sources = {
        'cm/app': digests.whole('ConfigMap default/app', new Map([['color', 'value-1-']])),
        'secret/db': { [key]: digests.key('Secret default/db', key, value) },
      };
      const text = JSON.stringify({ v: 1, n, key: 'k', sources });
      await hand.engine('value-1-', false, annotated('reroll.dev/baseline', text));
    };
    await hand.createSecret('dev');
    await hand.write('dev', uses('token'));
    await hand.clock.advance(3_000);
    await record(8, 'token');
    await hand.label('Namespace', {});
    await hand.write('dev', uses('color'));
    await hand.clock.advance(3_000);
    await hand.editSecret('secret-2-');
    await hand.label('Namespace', prod);
    await record(9, 'color', 'secret-2-');
    expect(hand.promises(false, selecting)).toEqual([]);
    await hand.editSecret('secret-3-');
    expect(hand.promises(false, selecting)).toEqual(['missed change', 'missed change']);
  });

  it('compares a source that came into use without the label with its content when the label is back', async () => {
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

  it('reports a restart in a namespace that is excluded by name', async () => {
    const hand = await adopted();
    await hand.clock.advance(60_000);
    expect(hand.promises(false, { namespacesToIgnore: ['default'] })).toEqual(['left out']);
  });
});
