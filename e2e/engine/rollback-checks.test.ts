import { afterEach, describe, expect, it } from '@jest/globals';
import { HealthChecker } from '../../reconciler/health-checks/health-checker';
import { PrometheusCheck } from '../../reconciler/health-checks/prometheus-check';
import type { Outlets } from './harness';
import { onFailure, rollbackSettings, Shop } from './rollback.fixture';

let shop: Shop;
/** While the source has one of these, the check does not pass. */
const failing = new Set<unknown>();

afterEach(async () => {
  failing.clear();
  await shop.stop();
});

async function started(mode: 'rollback' | 'keep', users = 1): Promise<void> {
  shop = new Shop({ [onFailure]: mode, 'reroll.dev/stages': 'on' }, users - 1);
  // The last one by its name, so that nobody else waits for its check.
  shop.user('with-check', { 'reroll.dev/healthy-query': 'up == 1' });
  await shop.start({}, outlets());
}

function outlets(): Outlets {
  const get = async () => {
    const data = { resultType: 'vector', result: failing.has(shop.color) ? [] : [{}] };
    return await Promise.resolve({ status: 200, body: JSON.stringify({ status: 'success', data }) });
  };
  const { clock } = shop.harness;
  const prometheus = new PrometheusCheck({ url: new URL('http://prometheus'), get, timeoutMs: 5_000 });
  return { checker: new HealthChecker({ clock, prometheus }) };
}

const good = () => shop.kept('good')?.['data'];

describe('a content with which all pods are ready, and a health check does not pass', () => {
  it.each([1, 2])('is not kept, and is put back at the deadline (%s users)', async (users) => {
    await started('rollback', users);
    expect(good()).toEqual({ color: 'red' });
    failing.add('blue');
    await shop.write('blue');
    await shop.pass(3);
    expect([good(), shop.color]).toEqual([{ color: 'red' }, 'blue']);
    await shop.pass(30);
    expect([good(), shop.color, shop.events('RollbackFailed')]).toEqual([{ color: 'red' }, 'red', []]);
  });

  it('is kept once the check has passed for long enough before the deadline', async () => {
    await started('rollback');
    failing.add('blue');
    await shop.write('blue');
    await shop.pass(3);
    failing.clear();
    await shop.pass(0.5);
    expect(good()).toEqual({ color: 'red' });
    await shop.pass(0.5);
    expect([good(), shop.color]).toEqual([{ color: 'blue' }, 'blue']);
  });

  it('is kept once the check passes after it had stopped, where nothing is put back', async () => {
    await started('keep');
    failing.add('blue');
    await shop.write('blue');
    await shop.pass(30);
    expect([good(), shop.events('RestartsStopped').length]).toEqual([{ color: 'red' }, 2]);
    failing.clear();
    await shop.pass(1);
    expect([good(), shop.color]).toEqual([{ color: 'blue' }, 'blue']);
  });

  it('is kept by the next leader, which asks the check although nobody waits', async () => {
    await started('rollback');
    failing.add('blue');
    await shop.write('blue');
    await shop.pass(3);
    await shop.stop();
    failing.clear();
    shop.engine = await shop.harness.start(rollbackSettings, undefined, outlets());
    await shop.pass(1);
    expect([good(), shop.color]).toEqual([{ color: 'blue' }, 'blue']);
  });
});
