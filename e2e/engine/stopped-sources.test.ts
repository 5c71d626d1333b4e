import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { unlimited } from '../../shared/domain/gate-settings/pace-settings';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { configMap, deployment, fromConfigMap, namespace } from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import { Harness, type Engine } from './harness';
import { Shop, bad } from './rollback.fixture';

const auto = { 'reloader.stakater.com/auto': 'true' };
const minuteMs = 60_000;
const stages = { fromUsers: 5, healthyForMs: 30_000, deadlineMs: 5 * minuteMs };
let harness: Harness;
let engine: Engine | undefined;

function app(name: string, annotations: Record<string, string> = {}, uses: readonly string[] = ['app'], replicas = 1) {
  return deployment({
    ...{ name, namespace: 'shop', replicas },
    annotations: { ...auto, ...annotations },
    envFrom: uses.map((source) => fromConfigMap(source)),
  });
}

function source(name: string, annotations: Record<string, string> = {}) {
  return configMap({ name, namespace: 'shop', annotations, data: { color: 'red' } });
}

async function start(settings: Partial<EngineSettings> = {}): Promise<void> {
  const isBroken = (sources: ReadonlyMap<string, unknown>): boolean =>
    [...sources.values()].some((each) => fieldAt(each, ['data', 'color']) === bad);
  new Controllers(harness.server, { readyDelayMs: 5_000, isBroken }).start();
  await harness.clock.advance(2 * minuteMs);
  engine = await harness.start({ pace: unlimited, stages, ...settings });
  await harness.clock.advance(30_000);
}

async function edit(color: string, name = 'app'): Promise<void> {
  await harness.edit('ConfigMap', name, { color }, 'shop');
}

async function stopped(): Promise<string | undefined> {
  const text = (await engine?.metrics.registry.text()) ?? '';
  return text.split('\n').find((line) => line.startsWith('reroll_stopped_sources'));
}

beforeEach(() => {
  harness = new Harness();
  harness.seed(namespace('shop'));
  engine = undefined;
});
afterEach(async () => await engine?.stop());

describe('a source with many users', () => {
  it('stay stopped although the one that failed restarts for another source', async () => {
    harness.seed(source('app'), source('other', { 'reroll.dev/stages': 'off' }));
    for (let n = 0; n < 10; n++) harness.seed(app(`web-${n}`, {}, n === 0 ? ['app', 'other'] : ['app']));
    await start();
    await edit(bad);
    await harness.clock.advance(10 * minuteMs);
    expect(harness.restartOrder()).toEqual(['web-0']);
    await edit('blue', 'other');
    await harness.clock.advance(10 * minuteMs);
    expect(harness.restartOrder()).toEqual(['web-0', 'web-0']);
  });

  it('of one source do not wait for a first that waits for another source which is stopped', async () => {
    harness.seed(source('app'), source('other'));
    // Users of `other` alone, one of which fails first.
    for (let n = 0; n < 5; n++) harness.seed(app(`a-${n}`, {}, ['other']));
    harness.seed(app('both', { 'reroll.dev/wave': '0' }, ['app', 'other']));
    for (let n = 0; n < 9; n++) harness.seed(app(`web-${n}`, {}, ['app']));
    await start();
    await edit(bad, 'other');
    await harness.clock.advance(10 * minuteMs);
    expect(harness.restartOrder()).toEqual(['a-0']);
    await edit('blue', 'app');
    await harness.clock.advance(20_000);
    expect(harness.restartOrder()).toEqual(['a-0', 'web-0']);
    await harness.clock.advance(30 * minuteMs);
    expect(new Set(harness.restartOrder()).size).toBe(10);
  });

  it('go on with the rest once it has begun, although those that went first restart for another source', async () => {
    harness.seed(source('app'), source('other', { 'reroll.dev/stages': 'off' }));
    for (let n = 0; n < 20; n++) {
      const later: Record<string, string> = n > 6 ? { 'reroll.dev/windows': '00:30-01:00' } : {};
      harness.seed(app(`web-${String(n).padStart(2, '0')}`, later, ['app', 'other']));
    }
    await start();
    await edit('blue');
    await harness.clock.advance(5 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(7);
    await edit('blue', 'other');
    await harness.clock.advance(5 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(14);
    await harness.clock.advance(Date.UTC(2026, 0, 1, 0, 30, 15) - harness.clock.nowMs());
    expect(harness.restartOrder()).toHaveLength(27);
  });

  it('stop and say so, if the first one comes first by its wave', async () => {
    harness.seed(source('app'), app('first', { 'reroll.dev/wave': '-1' }));
    for (let n = 0; n < 9; n++) harness.seed(app(`web-${n}`));
    await start();
    await edit(bad);
    await harness.clock.advance(30 * minuteMs);
    expect(harness.restartOrder()).toEqual(['first']);
    expect(await stopped()).toBe('reroll_stopped_sources 1');
    expect(harness.objects('Event').filter((event) => fieldAt(event, ['reason']) === 'RestartsStopped')).toHaveLength(
      2,
    );
  });

  it('stop and say so, if the others wait for a window', async () => {
    harness.seed(source('app'), app('first', { 'reroll.dev/windows': 'always' }));
    for (let n = 0; n < 9; n++) harness.seed(app(`web-${n}`, { 'reroll.dev/windows': '0 0 1 6 * +1h' }));
    await start();
    await edit(bad);
    await harness.clock.advance(30 * minuteMs);
    expect(harness.restartOrder()).toEqual(['first']);
    expect(await stopped()).toBe('reroll_stopped_sources 1');
  });
});

describe('a bad content is put back', () => {
  let shop: Shop;
  afterEach(async () => await shop.stop());

  it('if the one that breaks comes first by its wave', async () => {
    shop = new Shop();
    shop.user('first', { 'reroll.dev/wave': '-1' });
    await shop.start();
    await shop.pass(3);
    await shop.write(bad);
    await shop.pass(30);
    expect(shop.harness.restartOrder()[0]).toBe('first');
    expect(shop.color).toBe('red');
  });

  it('if all others come after it by name', async () => {
    shop = new Shop();
    for (let n = 0; n < 10; n++) shop.user(`next-${n}`, { 'reroll.dev/after': 'deployment/web-0' });
    await shop.start();
    for (let n = 1; n < 10; n++) await shop.harness.delete('Deployment', `web-${n}`, 'shop');
    await shop.pass(3);
    await shop.write(bad);
    await shop.pass(30);
    expect(shop.harness.restartOrder()[0]).toBe('web-0');
    expect(shop.color).toBe('red');
  });

  it('if the others wait for a window', async () => {
    shop = new Shop();
    shop.user('first', { 'reroll.dev/windows': 'always', 'reroll.dev/canary': 'true' });
    await shop.annotateNamespace({ 'reroll.dev/windows': '22:00-23:00' });
    await shop.start();
    await shop.pass(3);
    await shop.write(bad);
    await shop.pass(30);
    expect(shop.harness.restartOrder()[0]).toBe('first');
    expect(shop.color).toBe('red');
  });
});
