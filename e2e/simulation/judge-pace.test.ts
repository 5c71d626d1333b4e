import { beforeEach, describe, expect, it } from '@jest/globals';
import { deployment, fromConfigMap, fromSecret, seed } from '../apiserver/cluster';
import { withValueAt, type JsonObject } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import { adopted, type Hand } from './history.fixture';
import type { PaceFlags } from './pace-flags';
import type { Rules } from './rules';

const [wave, after, maxRolling] = ['reroll.dev/wave', 'reroll.dev/after', 'reroll.dev/max-rolling'];

const restartedAt = 'kubectl.kubernetes.io/restartedAt';

let hand: Hand;
let sequence: number;

/** Deployments `web`, `api` and `db` of one ConfigMap, recorded by one process. */
beforeEach(async () => {
  sequence = 100;
  hand = await adopted();
  for (const name of ['api', 'db']) {
    const annotations = { 'reloader.stakater.com/auto': 'true' };
    seed(hand.server, deployment({ name, annotations, envFrom: [fromConfigMap('app')] }));
    await record(name, 'value-1-', false);
  }
  await hand.clock.advance(60_000);
});

async function update(name: string, user: string, change: (object: KubeObject) => JsonObject): Promise<void> {
  await hand.write(user, change, name);
}

/** The process records the content on a Deployment, with a restart or without. */
async function record(name: string, color: string, restart = true, user = 'engine-0-1', thenMs = 1_000): Promise<void> {
  await recordAll(name, { 'cm/app': hand.digestOf(color) }, restart, user, thenMs);
}

/** The same with digests of its own. */
async function recordAll(
  name: string,
  sources: Readonly<Record<string, string>>,
  restart = true,
  user = 'engine-0-1',
  thenMs = 1_000,
): Promise<void> {
  const n = sequence++;
  const baseline = JSON.stringify({ v: 1, n, key: 'k', sources });
  const last = JSON.stringify({ at: new Date(hand.clock.nowMs()).toISOString(), id: `restart${n}`, sources: {} });
  await update(name, user, (object) => {
    const recorded = withValueAt(object, ['metadata', 'annotations', 'reroll.dev/baseline'], baseline);
    if (!restart) return recorded;
    const told = withValueAt(recorded, ['metadata', 'annotations', 'reroll.dev/last-restart'], last);
    return withValueAt(told, ['spec', 'template', 'metadata', 'annotations', restartedAt], String(n));
  });
  await hand.clock.advance(thenMs);
}

async function annotate(name: string, key: string, value: string): Promise<void> {
  await update(name, 'dev', (object) => withValueAt(object, ['metadata', 'annotations', key], value));
  await hand.clock.advance(5_000);
}

/** The controller calls the Deployment rolled out. */
async function rolledOut(name: string): Promise<void> {
  await hand.rollOut(name);
  await hand.clock.advance(1_000);
}

function broken(pace: PaceFlags = {}, rules: Partial<Rules> = {}): readonly string[] {
  const known = { shownWithinMs: 1_000, knownWithinMs: 1_000 };
  const found = hand.promises(false, { pace, ...known, ...rules });
  return found.filter((promise) => promise === 'too many at once' || promise === 'out of order');
}

describe('the judge, for how many roll at once,', () => {
  it.each<[string, PaceFlags]>([
    ['in the cluster', { maxRolling: '1' }],
    ['in a namespace', { perNamespace: '1' }],
    ['by pods', { maxRolling: '1 pods' }],
  ])('reports one too many %s, and none after the first is rolled out', async (_what, flags) => {
    await hand.edit('value-2-');
    await record('web', 'value-2-');
    await record('api', 'value-2-');
    expect(broken(flags)).toEqual(['too many at once']);
    expect([broken({ maxRolling: '2' }), broken()]).toEqual([[], []]);
  });

  it('reports none where each is rolled out before the next', async () => {
    await hand.edit('value-2-');
    await record('web', 'value-2-');
    await rolledOut('web');
    await record('api', 'value-2-');
    expect(broken({ maxRolling: '1' })).toEqual([]);
  });

  it('reads what source and namespace say', async () => {
    await hand.annotateSource(maxRolling, '1');
    await hand.edit('value-2-');
    await record('web', 'value-2-');
    await record('api', 'value-2-');
    expect(broken()).toEqual(['too many at once']);
  });

  it('reads that a namespace allows more', async () => {
    await hand.annotateNamespace(maxRolling, '2');
    await hand.edit('value-2-');
    await record('web', 'value-2-');
    await record('api', 'value-2-');
    expect(broken({ perNamespace: '1' })).toEqual([]);
    await record('db', 'value-2-');
    expect(broken({ perNamespace: '1' })).toEqual(['too many at once']);
  });

  it('expects another process to know only what it has been shown', async () => {
    await hand.edit('value-2-');
    await record('web', 'value-2-');
    await hand.lead('engine-0-2');
    await record('api', 'value-2-', true, 'engine-0-2');
    expect(broken({ maxRolling: '1' })).toEqual(['too many at once']);
    expect(broken({ maxRolling: '1' }, { shownWithinMs: Infinity })).toEqual([]);
  });

  it('reports more than a rate allows', async () => {
    await hand.edit('value-2-');
    await record('web', 'value-2-');
    await record('api', 'value-2-');
    expect([broken({ rate: '1/10s' }), broken({ rate: '2/10s' })]).toEqual([['too many at once'], []]);
  });
});

describe('the judge, for the order of restarts,', () => {
  it('reports a later wave before an earlier one has restarted, and before it is rolled out', async () => {
    await annotate('api', wave, '10');
    for (const name of ['web', 'api']) await rolledOut(name);
    await hand.edit('value-2-');
    await record('api', 'value-2-');
    expect(broken()).toEqual(['out of order']);
  });

  it.each<[string, boolean, readonly string[]]>([
    ['rolls', false, ['out of order']],
    ['is rolled out', true, []],
  ])('looks whether the earlier one %s', async (_what, isRolledOut, promises) => {
    await annotate('api', wave, '10');
    await hand.edit('value-2-');
    for (const name of ['web', 'db']) {
      await record(name, 'value-2-');
      if (isRolledOut) await rolledOut(name);
    }
    await record('api', 'value-2-');
    expect(broken()).toEqual(promises);
  });

  it.each<[string, boolean, readonly string[]]>([
    ['still rolls', false, ['out of order']],
    ['was rolled out', true, []],
  ])(
    'looks whether an earlier one that restarts for another source %s for this one',
    async (_what, isRolledOut, promises) => {
      const sources = (color: string, secretColor: string) => ({
        'cm/app': hand.digestOf(color),
        'secret/db': hand.digestOfSecret(secretColor),
      });
      await hand.createSecret('dev');
      const envFrom = [fromConfigMap('app'), fromSecret('db')];
      seed(hand.server, deployment({ name: 'both', annotations: { 'reloader.stakater.com/auto': 'true' }, envFrom }));
      await recordAll('both', sources('value-1-', 'secret-1-'), false);
      await annotate('api', wave, '10');
      await hand.edit('value-2-');
      for (const name of ['web', 'db']) {
        await record(name, 'value-2-');
        await rolledOut(name);
      }
      await recordAll('both', sources('value-2-', 'secret-1-'));
      if (isRolledOut) await rolledOut('both');
      await hand.editSecret('secret-2-');
      await recordAll('both', sources('value-2-', 'secret-2-'));
      await record('api', 'value-2-');
      expect(broken()).toEqual(promises);
    },
  );

  it('reports one that names another, unless they name each other', async () => {
    await annotate('api', after, 'deployment/db');
    await hand.edit('value-2-');
    await record('api', 'value-2-');
    expect(broken()).toEqual(['out of order']);
  });

  it.each([
    [1, ['out of order']],
    [0, []],
  ])(
    'of one that begins %d ms after the one that it names, and before that is rolled out, reports %j',
    async (ms, promises) => {
      await annotate('api', after, 'deployment/db');
      await hand.edit('value-2-');
      await record('db', 'value-2-', true, 'engine-0-1', ms);
      await record('api', 'value-2-');
      expect(broken()).toEqual(promises);
    },
  );

  it('reports none in a circle of names', async () => {
    await annotate('api', after, 'deployment/db');
    await annotate('db', after, 'deployment/api');
    await hand.edit('value-2-');
    await record('api', 'value-2-');
    expect(broken()).toEqual([]);
  });

  it('reports none of what users changed moments before', async () => {
    await annotate('api', wave, '10');
    await hand.edit('value-2-', 0);
    await update('web', 'dev', (object) => withValueAt(object, ['metadata', 'labels', 'x'], '1'));
    await record('db', 'value-2-');
    await rolledOut('db');
    await record('api', 'value-2-');
    expect(broken({}, { knownWithinMs: 60_000 })).toEqual([]);
  });
});
