import { afterEach, describe, expect, it } from '@jest/globals';
import { longForm } from '../../shared/runtime/long-form.fixture';
import type { Fault, FaultTarget } from '../apiserver/faults';
import { engineUser, handoverLease, usualLease } from './harness';
import { bad, isOwnWrite, isPutBack, rollbackSettings, rolledBack, Shop } from './rollback.fixture';

let shop: Shop;

afterEach(async () => await shop.stop());

const writes = ['the good copy', 'its MAC', 'the bad copy', 'its MAC, too', 'the content that is put back'];
/** What is written, and as which write of ours. */
const steps = writes.map((what, index) => [what, index + 1] as const).slice(-longForm(writes.length, 2));

describe('a leader that is killed', () => {
  const rows = steps.flatMap(([step, nth]) =>
    [true, false].map((isStored) => [step, isStored ? 'is' : 'is not', nth, isStored] as const),
  );

  it.each(rows)('when %s %s stored', async (_step, _is, nth, isStored) => {
    shop = new Shop();
    shop.harness.leaseTimings = handoverLease;
    let count = 0;
    let isDead = false;
    shop.harness.faults.add({
      match: (target) => {
        if (!isOwnWrite(target) || ++count !== nth) return false;
        shop.engine?.kill();
        isDead = true;
        return !isStored;
      },
      fault: { kind: 'half-open' },
    });
    const succeed = async (): Promise<void> => {
      if (!isDead) return;
      shop.engine = shop.harness.launch({ ...rollbackSettings, identity: `reroll-${nth}` });
      isDead = false;
    };
    await shop.start();
    await succeed();
    await shop.pass(3);
    await shop.write(bad);
    await shop.pass(6);
    await succeed();
    await shop.pass(30);
    expect(shop.color).toBe('red');
    expect(shop.putBacks()).toHaveLength(1);
    expect(shop.harness.restartOrder()).toEqual(['web-0', 'web-0']);
    expect(shop.kept('good')).toMatchObject({ data: { color: 'red' } });
    expect(shop.kept('bad')).toMatchObject({ data: { color: bad } });
    expect(shop.configMaps()).toHaveLength(3);
  });
});

describe('a request that fails', () => {
  const faults: readonly (readonly [string, Fault])[] = [
    ['is refused for a time', { kind: 'status', code: 503 }],
    ['is never answered, and not stored', { kind: 'reset', when: 'before' }],
    ['is stored, and never answered', { kind: 'reset', when: 'after' }],
  ];
  const rows = steps.flatMap(([step, nth]) => faults.map(([what, fault]) => [step, what, nth, fault] as const));

  it.each(rows)('%s %s', async (_step, _what, nth, fault) => {
    shop = new Shop();
    let count = 0;
    shop.harness.faults.add({ match: (target) => isOwnWrite(target) && ++count === nth, fault });
    await shop.start();
    await shop.pass(3);
    await shop.write(bad);
    await shop.pass(30);
    expect(shop.color).toBe('red');
    expect(shop.putBacks()).toHaveLength(1);
    expect(await shop.metric('done')).toBe(1);
    expect(shop.events('RollbackFailed')).toEqual([]);
  });
});

it('a source that somebody writes at the same moment is read again, and put back once', async () => {
  shop = new Shop();
  await shop.start();
  let writes = 0;
  shop.harness.faults.add({
    match: (target) => {
      // Annotations of others change while the patch is on its way.
      if (!isPutBack(target) || writes === 3) return false;
      writes++;
      void shop.patch({ metadata: { annotations: { seen: String(writes) } } });
      return true;
    },
    fault: { kind: 'delay', delayMs: 100 },
  });
  await shop.write(bad);
  await shop.pass(30);
  expect(writes).toBe(3);
  expect(shop.color).toBe('red');
  expect(shop.putBacks()).toHaveLength(1);
  expect(shop.app?.metadata.annotations).toMatchObject({ seen: '3' });
  expect(shop.events('RollbackFailed')).toEqual([]);
});

it('a content whose patch comes late, after it was given up, is put back no second time', async () => {
  shop = new Shop();
  await shop.start();
  await shop.pass(3);
  let patches = 0;
  // The first one is stored three seconds after the client has given it up. The second is on its way then, and conflicts.
  const delays = [33_000, 6_000].map((delayMs): Fault => ({ kind: 'delay', delayMs }));
  for (const [index, fault] of delays.entries()) {
    shop.harness.faults.add({
      match: (target) => {
        if (!isPutBack(target) || patches !== index) return false;
        patches++;
        return true;
      },
      fault,
    });
  }
  await shop.write(bad);
  await shop.pass(30);
  expect([shop.color, shop.putBacks().length, patches]).toEqual(['red', 1, 2]);
  // Like `kubectl replace`: the bad content, without Reroll's annotation.
  await shop.patch({ metadata: { annotations: { [rolledBack]: null } }, data: { color: bad } });
  await shop.pass(60);
  expect([shop.color, shop.putBacks().length]).toEqual([bad, 1]);
});

it('looks at one source at a time', async () => {
  shop = new Shop();
  const names = ['a', 'b', 'c'];
  for (const name of names) shop.source(name);
  let [open, most] = [0, 0];
  shop.harness.faults.add({
    match: (target) => {
      if (!isOwnWrite(target)) return false;
      most = Math.max(most, ++open);
      shop.harness.clock.timer(1_000, () => (open -= 1));
      return true;
    },
    fault: { kind: 'delay', delayMs: 1_000 },
  });
  await shop.start();
  await shop.pass(5);
  expect(shop.configMaps()).toHaveLength(8);
  expect(most).toBe(1);
});

it.each([
  ['the Lease', true],
  ['a watch, without the right to the Lease', false],
])('a content whose copy is undone by a restore of etcd is kept again, as %s shows', async (_what, hasLease) => {
  shop = new Shop();
  shop.harness.leaseTimings = hasLease ? handoverLease : usualLease;
  const apiGroups = ['', 'apps', 'batch', 'authorization.k8s.io'];
  if (!hasLease) shop.harness.server.rbac.restrict(engineUser, [{ apiGroups, resources: ['*'], verbs: ['*'] }]);
  await shop.start();
  await shop.pass(hasLease ? 3 : 120);
  await shop.write('blue');
  await shop.pass(1);
  const backup = shop.harness.server.store.revision;
  await shop.pass(20);
  expect(shop.kept('good')).toMatchObject({ data: { color: 'blue' } });
  shop.harness.server.restore(backup);
  await shop.pass(hasLease ? 30 : 120);
  expect([shop.color, shop.kept('good')]).toMatchObject(['blue', { data: { color: 'blue' } }]);
  await shop.write(bad);
  await shop.pass(30);
  expect([shop.color, shop.events('RollbackFailed')]).toEqual(['blue', []]);
});

it('a put-back whose answer is lost is reported, though the read that would show it fails, too', async () => {
  shop = new Shop();
  await shop.start();
  await shop.pass(3);
  let isLost = false;
  shop.harness.faults.add({
    match: (target) => isPutBack(target) && (isLost = true),
    times: 1,
    fault: { kind: 'reset', when: 'after' },
  });
  const isRead = ({ method, pathname, isWatch }: FaultTarget): boolean =>
    !isWatch && method === 'GET' && pathname.endsWith('/configmaps/app');
  shop.harness.faults.add({
    match: (target) => isLost && isRead(target),
    times: 1,
    fault: { kind: 'status', code: 503 },
  });
  await shop.write(bad);
  await shop.pass(30);
  expect([isLost, shop.color, shop.putBacks().length]).toEqual([true, 'red', 1]);
  expect(await shop.metric('done')).toBe(1);
  expect(shop.events('RolledBack')).toHaveLength(2);
});
