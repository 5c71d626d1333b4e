import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { configMap, deployment, fromConfigMap } from '../apiserver/cluster';
import { ownNamespace } from '../engine-settings';
import { bad, onFailure, Shop } from './rollback.fixture';

/** Somebody else's rollout. */
const release = { spec: { template: { metadata: { labels: { release: '2' } } } } };
const auto = { 'reloader.stakater.com/auto': 'true' };

let shop: Shop;

beforeEach(() => {
  shop = new Shop();
});

afterEach(async () => await shop.stop());

describe('a source with one user', () => {
  beforeEach(() => {
    shop = new Shop({ [onFailure]: 'rollback', 'reroll.dev/stages': 'on' }, 1);
  });

  it('has its content put back, too, and nobody is told to resume anything', async () => {
    await shop.start();
    await shop.write(bad);
    await shop.pass(30);
    expect(shop.color).toBe('red');
    expect(shop.harness.restartOrder()).toEqual(['web-0', 'web-0']);
    expect(shop.status('web-0')).toMatchObject({ restart: 'not-owed' });
    expect(shop.events('RolledBack')).toHaveLength(2);
    expect(shop.events('RestartsStopped').join()).not.toMatch(/resume|other users/);
  });

  it('has it put back by the next leader', async () => {
    await shop.start();
    await shop.write(bad);
    await shop.pass(1);
    await shop.stop();
    await shop.start();
    await shop.pass(30);
    expect([shop.color, shop.putBacks().length]).toEqual(['red', 1]);
  });

  it('stops nobody with on-failure: keep, and is told', async () => {
    await shop.patch({ metadata: { annotations: { [onFailure]: 'keep' } } });
    await shop.start();
    await shop.write(bad);
    await shop.pass(30);
    expect([shop.color, shop.harness.restartOrder()]).toEqual([bad, ['web-0']]);
    expect(shop.events('RestartsStopped')).toContainEqual(expect.stringMatching(/run reroll rollback configmap/));
    expect(await shop.engine?.metrics.registry.text()).toContain('reroll_stopped_sources 0');
  });

  it('is not taken for proved because its user was broken by it, and has no pods since', async () => {
    await shop.patch({ metadata: { annotations: { [onFailure]: 'keep' } } });
    await shop.start();
    await shop.write(bad);
    await shop.pass(10);
    await shop.harness.patch('Deployment', 'web-0', { spec: { replicas: 0 } }, 'shop');
    await shop.pass(30);
    expect(shop.kept('good')).toMatchObject({ data: { color: 'red' } });
  });

  it('keeps a content that works', async () => {
    await shop.start();
    await shop.write('blue');
    await shop.pass(30);
    expect([shop.color, shop.putBacks().length]).toEqual(['blue', 0]);
  });

  it('is not judged by what becomes of that user once the content has proved itself', async () => {
    await shop.start();
    await shop.write('blue');
    await shop.pass(30);
    await shop.harness.patch('Deployment', 'web-0', release, 'shop');
    await shop.pass(30);
    expect([shop.color, shop.events('RestartsStopped'), shop.events('RollbackFailed')]).toEqual(['blue', [], []]);
  });

  it('keeps a content that has proved itself when that user has a release, though an older one is kept', async () => {
    shop.user('lazy', { 'reroll.dev/stages': 'off' });
    await shop.start();
    await shop.harness.patch('Deployment', 'lazy', { spec: { paused: true } }, 'shop');
    await shop.write('blue');
    await shop.pass(30);
    expect([shop.kept('good')?.['data'], shop.harness.restartOrder().toSorted()]).toEqual([
      { color: 'red' },
      ['lazy', 'web-0'],
    ]);
    await shop.harness.patch('Deployment', 'web-0', release, 'shop');
    await shop.pass(30);
    expect([shop.color, shop.putBacks().length]).toEqual(['blue', 0]);
  });

  it('is not blamed when a change of another source breaks that user', async () => {
    shop = new Shop({ [onFailure]: 'rollback', 'reroll.dev/stages': 'on' }, 0);
    shop.source('other');
    const envFrom = [fromConfigMap('app'), fromConfigMap('other')];
    shop.harness.seed(deployment({ name: 'both', namespace: 'shop', annotations: auto, replicas: 1, envFrom }));
    await shop.start();
    await shop.write('blue');
    await shop.pass(30);
    await shop.harness.edit('ConfigMap', 'other', { color: bad }, 'shop');
    await shop.pass(30);
    expect([shop.color, shop.events('RollbackFailed')]).toEqual(['blue', []]);
    expect(shop.events('RestartsStopped').filter((event) => event.includes('ConfigMap app'))).toEqual([]);
  });
});

describe('a hold', () => {
  const everything = () => configMap({ name: 'reroll-hold', namespace: ownNamespace });

  it.each<[string, () => Promise<void>, () => Promise<void>]>([
    [
      'of everything',
      async () => {
        shop.harness.seed(everything());
        await Promise.resolve();
      },
      async () => await shop.harness.delete('ConfigMap', 'reroll-hold', ownNamespace),
    ],
    [
      'of the namespace',
      async () => await shop.annotateNamespace({ 'reroll.dev/hold': 'true' }),
      async () => await shop.annotateNamespace({ 'reroll.dev/hold': 'false' }),
    ],
    [
      'of the source',
      async () => await shop.patch({ metadata: { annotations: { 'reroll.dev/hold': 'true' } } }),
      async () => await shop.patch({ metadata: { annotations: { 'reroll.dev/hold': null } } }),
    ],
  ])('%s keeps a bad content where it is, and lets it be put back once it ends', async (_of, hold, release) => {
    await shop.start();
    await shop.write(bad);
    await shop.pass(1);
    await hold();
    await shop.pass(30);
    expect([shop.color, shop.putBacks().length]).toEqual([bad, 0]);
    expect(shop.kept('bad')).toBeUndefined();
    await release();
    await shop.pass(10);
    expect([shop.color, shop.putBacks().length]).toEqual(['red', 1]);
  });
});

it.each<[string, () => Promise<void>]>([
  [
    'a workload',
    async () => {
      shop.user('hasty', { 'reroll.dev/stages': 'off' });
      await Promise.resolve();
    },
  ],
  ['the source', async () => await shop.patch({ metadata: { annotations: { 'reroll.dev/stages': 'off' } } })],
])('stages: off on %s does not let anybody restart for a content that was put back', async (_where, switchOff) => {
  await shop.start();
  await shop.write(bad);
  await shop.pass(10);
  await switchOff();
  await shop.pass(10);
  const before = shop.harness.restartOrder();
  await shop.write(bad);
  await shop.pass(30);
  expect(shop.harness.restartOrder()).toEqual(before);
});
