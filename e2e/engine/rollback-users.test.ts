import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fieldAt, listOf } from '../../shared/domain/kubernetes/json-value';
import { bad, onFailure, Shop } from './rollback.fixture';

let shop: Shop;

beforeEach(async () => {
  shop = new Shop({ [onFailure]: 'rollback', 'reroll.dev/stages': 'on' }, 2);
  shop.user('lazy', { 'reroll.dev/stages': 'off' });
  await shop.start();
  await shop.harness.patch('Deployment', 'lazy', { spec: { paused: true } }, 'shop');
  await shop.write('blue');
  await shop.pass(30);
  expect(good()).toEqual({ color: 'red' });
});

afterEach(async () => await shop.stop());

const good = () => shop.kept('good')?.['data'];

async function patchLazy(patch: object): Promise<void> {
  await shop.harness.patch('Deployment', 'lazy', patch, 'shop');
}

async function useAnother(): Promise<void> {
  const lazy = await shop.harness.get('Deployment', 'lazy', 'shop');
  const [container] = listOf(fieldAt(lazy, ['spec', 'template', 'spec', 'containers']));
  const envFrom = [{ $patch: 'replace' }, { configMapRef: { name: 'other' } }];
  const containers = [{ name: fieldAt(container, ['name']), envFrom }];
  await patchLazy({ spec: { template: { spec: { containers } } } });
}

describe('a content that all users but one have proved', () => {
  it.each<[string, () => Promise<void>]>([
    ['becomes healthy', async () => await patchLazy({ spec: { paused: false } })],
    ['is deleted', async () => await shop.harness.delete('Deployment', 'lazy', 'shop')],
    [
      'asks for no restarts any more',
      async () => await patchLazy({ metadata: { annotations: { 'reloader.stakater.com/auto': null } } }),
    ],
    [
      'asks for restarts for other sources only',
      async () =>
        await patchLazy({ metadata: { annotations: { 'configmaps.exclude.reloader.stakater.com/reload': 'app' } } }),
    ],
    ['uses another source instead', useAnother],
  ])('is kept once that one %s, and is put back instead of a later one', async (_what, act) => {
    await act();
    await shop.pass(60);
    expect(good()).toEqual({ color: 'blue' });
    await shop.write(bad);
    await shop.pass(30);
    expect([good(), shop.color, shop.events('RollbackFailed')]).toEqual([{ color: 'blue' }, 'blue', []]);
  });
});
