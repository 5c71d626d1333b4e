import { beforeEach, describe, expect, it } from '@jest/globals';
import { appConfig, at, contentOf } from '../../shared/domain/plan/records.fixture';
import { ChannelHarness, changeRecord, ofCrowd, stored } from '../channel/channel.fixture';
import { maxHintsPerSource } from './hints';
import { maxPendingHints } from './pending-sources';

const blue = contentOf({ color: 'blue' }).whole();
const green = contentOf({ color: 'green' }).whole();

let channel: ChannelHarness;

beforeEach(() => {
  channel = new ChannelHarness();
  channel.watch(stored('red'));
});

function attribution(digest = blue): ReturnType<ChannelHarness['hints']['attribution']> {
  return channel.hints.attribution(appConfig, digest);
}

describe('a hint', () => {
  it('is confirmed at once when the index shows it already', async () => {
    channel.watch(stored('blue', { resourceVersion: '2' }));
    expect(channel.hints.offer(changeRecord())).toBe('confirmed');
    expect(attribution()).toEqual({
      users: ['alice'],
      moreUsers: 0,
      firstUser: 'alice',
      manager: 'kubectl',
      changedKeys: ['color'],
      path: 'both',
      observedAtMs: at(0),
    });
    await channel.clock.advance(60_000);
    expect(channel.reads).toEqual([]);
    expect(await channel.results()).toEqual({ confirmed: 1 });
  });

  it('is confirmed by a watch event, without a read', async () => {
    expect(channel.hints.offer(changeRecord())).toBe('pending');
    expect(attribution()).toBeUndefined();
    await channel.clock.advance(299);
    channel.watch(stored('blue', { resourceVersion: '2' }));
    await channel.clock.advance(60_000);
    expect(attribution()).toMatchObject({ users: ['alice'], path: 'both' });
    expect(channel.reads).toEqual([]);
    expect(channel.given).toEqual([]);
    expect(channel.hints.pending).toBe(0);
    expect(channel.clock.pendingTimers).toBe(0);
    expect((await channel.metrics.hintConfirmationSeconds.get()).values).toContainEqual(
      expect.objectContaining({ metricName: 'reroll_hint_confirmation_seconds_sum', value: 0.299 }),
    );
  });

  it('is confirmed by one read after 300 ms if the watch shows nothing: the state goes to the index', async () => {
    const written = stored('blue', { resourceVersion: '2' });
    channel.write(written);
    channel.hints.offer(changeRecord());
    await channel.clock.advance(60_000);
    expect(channel.readTimesMs).toEqual([300]);
    expect(channel.given).toEqual([written]);
    expect(attribution()).toMatchObject({ users: ['alice'], path: 'webhook' });
    expect(await channel.results()).toEqual({ confirmed: 1 });
  });

  it.each([
    ['before', ['list', 'offer']],
    ['after', ['offer', 'list']],
  ] as const)('is not confirmed by a list without contents %s it, but by the read', async (_when, order) => {
    const written = stored('blue', { resourceVersion: '2' });
    const steps = { list: () => channel.list(written), offer: () => channel.hints.offer(changeRecord()) };
    for (const step of order) steps[step]();
    expect(channel.hints.pending).toBe(1);
    expect(attribution()).toBeUndefined();
    await channel.clock.advance(60_000);
    expect(channel.readTimesMs).toEqual([300]);
    expect(channel.given).toEqual([written]);
    expect(attribution()).toMatchObject({ users: ['alice'], path: 'webhook' });
    expect(await channel.results()).toEqual({ confirmed: 1 });
  });

  it('for what a list without contents shows is a phantom if a read shows something else', async () => {
    channel.list(stored('green', { resourceVersion: '2' }));
    expect(channel.hints.offer(changeRecord())).toBe('pending');
    await channel.clock.advance(60_000);
    expect(channel.given).toEqual([stored('green', { resourceVersion: '2' })]);
    expect(await channel.results()).toEqual({ phantom: 1 });
  });

  it('announces a source that the index does not know', async () => {
    const written = stored('blue', { name: 'new' });
    channel.write(written);
    channel.hints.offer(changeRecord({ name: 'new' }));
    await channel.clock.advance(300);
    expect(channel.given).toEqual([written]);
  });

  it('is read again with growing gaps while it is not stored, and then becomes a phantom', async () => {
    channel.hints.offer(changeRecord());
    await channel.clock.advance(120_000);
    expect(channel.readTimesMs).toEqual([300, 1_300, 3_300, 8_300, 18_300, 28_300, 38_300]);
    expect(channel.given).toEqual([]);
    expect(channel.hints.pending).toBe(0);
    expect(attribution()).toBeUndefined();
    expect(await channel.results()).toEqual({ phantom: 1 });
  });

  it('is confirmed by a late read when its write took as long as the API server allows', async () => {
    channel.hints.offer(changeRecord());
    await channel.clock.advance(34_000);
    channel.write(stored('blue', { resourceVersion: '2' }));
    await channel.clock.advance(6_000);
    expect(channel.given).toHaveLength(1);
    expect(await channel.results()).toEqual({ confirmed: 1 });
  });

  it('for an object that does not exist, or was replaced, is a phantom', async () => {
    channel.hints.offer(changeRecord({ name: 'gone' }));
    channel.hints.offer(changeRecord({ color: 'red', uid: 'another' }));
    await channel.clock.advance(40_000);
    expect(channel.given).toEqual([]);
    expect(await channel.results()).toEqual({ phantom: 2 });
  });

  it('is a phantom even if no read succeeds: no failure keeps it forever', async () => {
    channel.delay = async () => await Promise.reject(new Error('forbidden'));
    channel.hints.offer(changeRecord());
    await channel.clock.advance(40_000);
    expect(channel.reads).toHaveLength(7);
    expect(await channel.results()).toEqual({ phantom: 1 });
    expect(channel.logger.lines).toEqual([
      {
        level: 'warn',
        message: 'cannot read a source whose change was announced; trying again',
        fields: { kind: 'ConfigMap', namespace: 'shop', name: 'app', error: 'forbidden' },
      },
    ]);
  });

  it('is confirmed by a read after one that failed', async () => {
    channel.delay = async () => await Promise.reject(new Error('reset'));
    channel.write(stored('blue', { resourceVersion: '2' }));
    channel.hints.offer(changeRecord());
    await channel.clock.advance(300);
    channel.delay = async () => await Promise.resolve();
    await channel.clock.advance(1_000);
    expect(await channel.results()).toEqual({ confirmed: 1 });
  });

  it('survives an engine that throws', async () => {
    channel.onStored = () => {
      throw new Error('broken');
    };
    channel.write(stored('blue', { resourceVersion: '2' }));
    channel.hints.offer(changeRecord());
    await channel.clock.advance(300);
    expect(channel.logger.lines).toMatchObject([{ level: 'warn', fields: { error: 'broken' } }]);
    expect(channel.hints.pending).toBe(0);
  });
});

describe('a read', () => {
  it('updates the index even if another change was announced: its own announcement may be lost', async () => {
    const written = stored('green', { resourceVersion: '3' });
    channel.write(written);
    channel.hints.offer(changeRecord());
    await channel.clock.advance(300);
    expect(channel.given).toEqual([written]);
    expect(attribution(green)).toMatchObject({ users: [], path: 'webhook' });
    expect(attribution(blue)).toBeUndefined();
    await channel.clock.advance(40_000);
    expect(channel.given).toHaveLength(1);
    expect(await channel.results()).toEqual({ phantom: 1 });
  });

  it('that the watch overtook does not revert the index', async () => {
    let answer = (): void => undefined;
    channel.delay = async () => await new Promise((resolve) => (answer = resolve));
    channel.write(stored('blue', { resourceVersion: '2' }));
    channel.hints.offer(changeRecord());
    await channel.clock.advance(300);
    channel.watch(stored('green', { resourceVersion: '3' }));
    answer();
    await channel.clock.advance(100);
    expect(channel.reads).toHaveLength(1);
    expect(channel.given).toEqual([]);
    channel.delay = async () => await Promise.resolve();
    await channel.clock.advance(1_000);
    expect(channel.reads).toHaveLength(2);
    expect(channel.given).toEqual([]);
  });

  it('that the watch overtook there and back does not update the index either', async () => {
    let answer = (): void => undefined;
    channel.delay = async () => await new Promise((resolve) => (answer = resolve));
    channel.write(stored('blue', { resourceVersion: '2' }));
    channel.hints.offer(changeRecord());
    await channel.clock.advance(300);
    channel.watch(stored('red', { resourceVersion: '3' }));
    answer();
    await channel.clock.advance(100);
    expect(channel.given).toEqual([]);
  });

  it('of an object that was created and deleted meanwhile does not update the index', async () => {
    channel.write(stored('green', { name: 'brief' }));
    channel.hints.offer(changeRecord({ name: 'brief' }));
    channel.delay = async () => {
      channel.watch(stored('green', { name: 'brief' }));
      channel.index.delete('ConfigMap shop/brief');
      await Promise.resolve();
    };
    await channel.clock.advance(300);
    expect(channel.reads).toHaveLength(1);
    expect(channel.given).toEqual([]);
  });

  it('is made of one source at a time and once a second, however many hints there are', async () => {
    let answer = (): void => undefined;
    channel.delay = async () => await new Promise((resolve) => (answer = resolve));
    for (let i = 0; i < 1_000; i++) {
      channel.hints.offer(changeRecord({ color: `forged ${String(i)}` }));
      await channel.clock.advance(10);
    }
    expect(channel.readTimesMs).toEqual([300]);
    channel.delay = async () => await Promise.resolve();
    answer();
    for (let i = 0; i < 400; i++) {
      channel.hints.offer(changeRecord({ color: `forged again ${String(i)}` }));
      await channel.clock.advance(10);
    }
    expect(channel.readTimesMs).toEqual([300, 10_310, 11_310, 12_310, 13_310]);
    expect(channel.hints.pending).toBe(maxHintsPerSource);
  });

  it('does not delay a new hint because of earlier reads in vain', async () => {
    channel.hints.offer(changeRecord({ color: 'forged' }));
    await channel.clock.advance(10_000);
    expect(channel.readTimesMs).toEqual([300, 1_300, 3_300, 8_300]);
    channel.write(stored('blue', { resourceVersion: '2' }));
    channel.hints.offer(changeRecord());
    await channel.clock.advance(300);
    expect(attribution()?.users).toEqual(['alice']);
    expect(channel.reads).toHaveLength(5);
  });

  it('is one of 20 a second over all sources', async () => {
    for (let i = 0; i < 100; i++) channel.hints.offer(changeRecord({ name: `app-${String(i)}` }));
    await channel.clock.advance(300);
    expect(channel.reads).toHaveLength(1);
    await channel.clock.advance(949);
    expect(channel.reads).toHaveLength(19);
    await channel.clock.advance(4_000);
    expect(channel.reads).toHaveLength(99);
    expect(new Set(channel.reads.map(({ name }) => name)).size).toBeGreaterThan(50);
  });

  it('is one of 8 at a time over all sources', async () => {
    const answers: (() => void)[] = [];
    channel.delay = async () => await new Promise((resolve) => answers.push(resolve));
    for (let i = 0; i < 20; i++) channel.hints.offer(changeRecord({ name: `app-${String(i)}` }));
    await channel.clock.advance(30_000);
    expect(channel.reads).toHaveLength(8);
    answers[0]?.();
    await channel.clock.advance(500);
    expect(channel.reads).toHaveLength(9);
  });

  it('is not started after the stop, and one under way has no effect', async () => {
    let answer = (): void => undefined;
    channel.delay = async () => await new Promise((resolve) => (answer = resolve));
    channel.write(stored('blue', { resourceVersion: '2' }));
    channel.hints.offer(changeRecord());
    channel.hints.offer(changeRecord({ name: 'other' }));
    await channel.clock.advance(300);
    channel.hints.stop();
    answer();
    await channel.clock.advance(60_000);
    expect(channel.reads).toHaveLength(1);
    expect(channel.given).toEqual([]);
    expect(channel.clock.pendingTimers).toBe(0);
  });
});

describe('what must be known now', () => {
  it('is read without waiting for the watch, and what is announced elsewhere is not', async () => {
    const written = stored('blue', { resourceVersion: '2' });
    channel.write(written);
    channel.hints.offer(changeRecord());
    channel.hints.offer(changeRecord({ namespace: 'other' }));
    await channel.hints.readNow('shop');
    expect(channel.given).toEqual([written]);
    expect(channel.readTimesMs).toEqual([0]);
    expect(attribution()).toMatchObject({ users: ['alice'] });
  });

  it('is there at once where nothing is announced', async () => {
    await channel.hints.readNow('shop');
    expect(channel.reads).toEqual([]);
  });

  it('is read once a second however often it is asked for, and later as ever', async () => {
    channel.hints.offer(changeRecord());
    await channel.hints.readNow('shop');
    await channel.hints.readNow('shop');
    await channel.clock.advance(999);
    await channel.hints.readNow('shop');
    expect(channel.readTimesMs).toEqual([0]);
    await channel.clock.advance(1);
    expect(channel.readTimesMs).toEqual([0, 1_000]);
  });

  it('waits for the read that is under way', async () => {
    const written = stored('blue', { resourceVersion: '2' });
    channel.write(written);
    channel.hints.offer(changeRecord());
    const [first, second] = [channel.hints.readNow('shop'), channel.hints.readNow('shop')];
    await second;
    expect(channel.given).toEqual([written]);
    await first;
    expect(channel.reads).toHaveLength(1);
  });
});

describe('hints of one source', () => {
  it('are merged when they announce the same change by the same user', async () => {
    channel.hints.offer(changeRecord());
    expect(channel.hints.offer(changeRecord({ id: 'review-2' }))).toBe('duplicate');
    expect(channel.hints.offer(changeRecord({ user: 'bob', observedAtMs: at(1) }))).toBe('pending');
    expect(channel.hints.pending).toBe(2);
    channel.watch(stored('blue', { resourceVersion: '2' }));
    expect(attribution()).toMatchObject({ users: ['bob', 'alice'], observedAtMs: at(1) });
    expect(await channel.results()).toEqual({ duplicate: 1, confirmed: 2 });
  });

  it('by another user may arrive after the confirmation', () => {
    channel.hints.offer(changeRecord({ observedAtMs: at(1) }));
    channel.watch(stored('blue', { resourceVersion: '2' }));
    expect(channel.hints.offer(changeRecord({ user: 'bob' }))).toBe('confirmed');
    expect(attribution()?.users).toEqual(['alice', 'bob']);
  });

  it('announce a return to a previous state, which is not by its previous author', () => {
    channel.hints.offer(changeRecord());
    channel.watch(stored('blue', { resourceVersion: '2' }));
    channel.watch(stored('green', { resourceVersion: '3' }));
    expect(attribution()?.users).toEqual(['alice']);
    expect(channel.hints.offer(changeRecord({ observedAtMs: at(5) }))).toBe('pending');
    channel.watch(stored('blue', { resourceVersion: '4' }));
    expect(attribution()).toMatchObject({ users: ['alice'], observedAtMs: at(5) });
    channel.watch(stored('green', { resourceVersion: '5' }));
    channel.watch(stored('blue', { resourceVersion: '6' }));
    expect(attribution()).toBeUndefined();
  });

  it.each([
    ['of a later write of the content that the index shows', '2', 'pending', undefined],
    ['of a much later one', '10', 'pending', undefined],
    ['of the write that the index shows', '1', 'confirmed', ['alice']],
    ['of a webhook that does not tell what the write replaces', undefined, 'confirmed', ['alice']],
  ] as const)('%s', async (_what, replaces, result, users) => {
    channel.watch(stored('blue', { resourceVersion: '2' }));
    channel.hints.offer(changeRecord({ user: 'bob', digest: green, replaces: '2', observedAtMs: at(0) }));
    expect(channel.hints.offer(changeRecord({ ...(replaces && { replaces }), observedAtMs: at(1) }))).toBe(result);
    channel.watch(stored('blue', { resourceVersion: '2' }));
    expect(attribution()?.users).toEqual(users);
    // The write is stored after all.
    channel.write(stored('blue', { resourceVersion: '11' }));
    await channel.clock.advance(60_000);
    expect(attribution()?.users).toEqual(['alice']);
    expect(channel.hints.pending).toBe(0);
  });

  describe('of an earlier write of the content to which the source returned 10 s later', () => {
    const returned = stored('blue', { resourceVersion: '4', writtenAtMs: at(10) });

    beforeEach(() => {
      channel.watch(stored('green', { resourceVersion: '3', writtenAtMs: at(5) }));
    });

    it.each([
      ['name nobody', true, 7.9, undefined],
      ['name their user where the clocks may differ by that much', true, 8, ['alice']],
      ['name their user where it is not known that the source held it before', false, 0, ['alice']],
    ] as const)('%s', async (_what, isHeldBefore, observedS, users) => {
      if (isHeldBefore) channel.heldBefore.add(blue);
      const record = changeRecord({ observedAtMs: at(observedS) });
      channel.watch(returned);
      expect(channel.hints.offer(record)).toBe(users ? 'confirmed' : 'superseded');
      expect(attribution()?.users).toEqual(users);
      expect(await channel.results()).toEqual(users ? { confirmed: 1 } : { superseded: 1 });
    });

    it.each([
      ['name nobody when they come before the return is shown', 0, undefined],
      ['name the user who announced the return', 10, ['alice']],
    ] as const)('%s', async (_what, observedS, users) => {
      channel.heldBefore.add(blue);
      expect(channel.hints.offer(changeRecord({ observedAtMs: at(observedS) }))).toBe('pending');
      channel.watch(returned);
      expect(attribution()?.users).toEqual(users);
      expect(channel.hints.pending).toBe(0);
      expect(await channel.results()).toEqual(users ? { confirmed: 1 } : { superseded: 1 });
    });
  });

  it('are read again after all earlier ones were confirmed', async () => {
    channel.hints.offer(changeRecord());
    channel.watch(stored('blue', { resourceVersion: '2' }));
    channel.hints.offer(changeRecord({ color: 'green' }));
    channel.write(stored('green', { resourceVersion: '3' }));
    await channel.clock.advance(300);
    expect(channel.given).toHaveLength(1);
  });

  it('are not lost when they come while a read for those before them, confirmed meanwhile, is under way', async () => {
    let answer = (): void => undefined;
    channel.delay = async () => await new Promise((resolve) => (answer = resolve));
    channel.hints.offer(changeRecord());
    await channel.clock.advance(300);
    channel.watch(stored('blue', { resourceVersion: '2' }));
    channel.hints.offer(changeRecord({ color: 'green', observedAtMs: at(1) }));
    answer();
    await channel.clock.advance(100);
    channel.watch(stored('green', { resourceVersion: '3' }));
    expect(attribution(green)?.users).toEqual(['alice']);
    expect(channel.hints.pending).toBe(0);
  });

  it('have no effect when they arrive again after their confirmation', async () => {
    channel.hints.offer(changeRecord());
    channel.watch(stored('blue', { resourceVersion: '2' }));
    expect(channel.hints.offer(changeRecord())).toBe('duplicate');
    expect(await channel.results()).toEqual({ confirmed: 1, duplicate: 1 });
  });

  it('may tell of a return to a former state by a clock that is behind: only a read can say that it is no replay', async () => {
    channel.hints.offer(changeRecord({ observedAtMs: at(10) }));
    channel.watch(stored('blue', { resourceVersion: '2' }));
    channel.watch(stored('green', { resourceVersion: '3' }));
    channel.write(stored('blue', { resourceVersion: '4' }));
    expect(channel.hints.offer(changeRecord({ observedAtMs: at(3) }))).toBe('pending');
    await channel.clock.advance(300);
    expect(channel.given).toMatchObject([{ resourceVersion: '4' }]);
  });

  it('are phantoms when they are replayed after the source has moved on', async () => {
    channel.hints.offer(changeRecord());
    channel.watch(stored('blue', { resourceVersion: '2' }));
    channel.watch(stored('green', { resourceVersion: '3' }));
    channel.hints.offer(changeRecord());
    await channel.clock.advance(40_000);
    expect(channel.given).toEqual([]);
    expect(await channel.results()).toEqual({ confirmed: 1, phantom: 1 });
  });

  it('live on when the change is admitted again, but not when the record is replayed', async () => {
    channel.hints.offer(changeRecord());
    await channel.clock.advance(20_000);
    channel.hints.offer(changeRecord());
    await channel.clock.advance(20_000);
    expect(channel.hints.pending).toBe(0);
    channel.hints.offer(changeRecord({ observedAtMs: at(40) }));
    await channel.clock.advance(20_000);
    channel.hints.offer(changeRecord({ observedAtMs: at(60) }));
    await channel.clock.advance(20_000);
    expect(channel.hints.pending).toBe(1);
  });

  it('before the confirmed one are superseded, and their users not named: they may have been refused', async () => {
    channel.hints.offer(changeRecord({ changed: { added: ['size'], changed: [], removed: ['old'] } }));
    channel.hints.offer(changeRecord({ color: 'green', user: 'bob', manager: 'helm', observedAtMs: at(1) }));
    channel.hints.offer(changeRecord({ color: 'white', user: 'carol', observedAtMs: at(2) }));
    channel.watch(stored('green', { resourceVersion: '3' }));
    expect(attribution(green)).toEqual({
      users: ['bob'],
      moreUsers: 0,
      firstUser: 'bob',
      manager: 'helm',
      changedKeys: ['color'],
      path: 'both',
      observedAtMs: at(1),
    });
    expect(await channel.results()).toEqual({ confirmed: 1, superseded: 1 });
    expect(channel.hints.pending).toBe(1);
  });

  it('for another object of that name are not superseded', () => {
    channel.hints.offer(changeRecord({ uid: 'former' }));
    channel.hints.offer(changeRecord({ color: 'green', observedAtMs: at(1) }));
    channel.watch(stored('green', { resourceVersion: '3' }));
    expect(channel.hints.pending).toBe(1);
  });

  it('are not superseded by one that announces the previous state: it may have been refused', async () => {
    channel.hints.offer(changeRecord());
    expect(channel.hints.offer(changeRecord({ color: 'red', user: 'bob', observedAtMs: at(1) }))).toBe('confirmed');
    channel.write(stored('blue', { resourceVersion: '2' }));
    await channel.clock.advance(300);
    expect(channel.given).toHaveLength(1);
  });

  it('name at most five users, the newest and the first one, and count the rest', () => {
    for (let i = 0; i < 9; i++) channel.hints.offer(changeRecord({ user: `user-${String(i)}`, observedAtMs: at(i) }));
    channel.watch(stored('blue', { resourceVersion: '2' }));
    expect(attribution()?.users).toEqual(['user-8', 'user-7', 'user-6', 'user-5', 'user-0']);
    expect(attribution()).toMatchObject({ moreUsers: 4, firstUser: 'user-0' });
  });

  it.each(['before', 'after'])('of a crowd, %s the state is stored, do not push out who was the first', (when) => {
    const others = 3 * maxHintsPerSource;
    const offer = (i: number): unknown =>
      channel.hints.offer(changeRecord({ user: `user-${String(i)}`, observedAtMs: at(i) }));
    channel.hints.offer(changeRecord({ user: 'mallory' }));
    if (when === 'after') channel.watch(stored('blue', { resourceVersion: '2' }));
    for (let i = 1; i <= others; i++) offer(i);
    expect(channel.hints.pending).toBe(when === 'after' ? 0 : maxHintsPerSource);
    channel.watch(stored('blue', { resourceVersion: '2' }));
    const newest = [0, 1, 2, 3].map((back) => `user-${String(others - back)}`);
    expect(attribution()).toMatchObject({ users: [...newest, 'mallory'], moreUsers: others - 4, firstUser: 'mallory' });
    expect(channel.hints.pending).toBe(0);
  });

  it('of a crowd for one state take no room from another state', () => {
    channel.hints.offer(changeRecord({ user: 'mallory' }));
    for (let i = 1; i <= 2 * maxHintsPerSource; i++) {
      channel.hints.offer(changeRecord({ color: 'green', user: `user-${String(i)}`, observedAtMs: at(i) }));
    }
    channel.watch(stored('blue', { resourceVersion: '2' }));
    expect(attribution()).toMatchObject({ users: ['mallory'], moreUsers: 0 });
  });

  it('of the same user later do not make another the first', () => {
    channel.hints.offer(changeRecord({ user: 'mallory' }));
    channel.hints.offer(changeRecord({ user: 'alice', observedAtMs: at(1) }));
    channel.hints.offer(changeRecord({ user: 'mallory', observedAtMs: at(2) }));
    channel.watch(stored('blue', { resourceVersion: '2' }));
    expect(attribution()).toMatchObject({ users: ['mallory', 'alice'], firstUser: 'mallory' });
  });

  it('are no more than a few: the oldest make room', async () => {
    for (let i = 0; i <= maxHintsPerSource; i++) channel.hints.offer(changeRecord({ color: `color ${String(i)}` }));
    expect(channel.hints.pending).toBe(maxHintsPerSource);
    channel.watch(stored('color 0', { resourceVersion: '2' }));
    expect(attribution(contentOf({ color: 'color 0' }).whole())).toBeUndefined();
    expect(await channel.results()).toEqual({ superseded: 1 });
  });
});

describe('many hints', () => {
  it('are refused above the bound, until there is room', async () => {
    for (let i = 0; i < maxPendingHints; i++) channel.hints.offer(changeRecord(ofCrowd(i)));
    expect(channel.hints.offer(changeRecord())).toBe('full');
    expect(channel.hints.offer(changeRecord(ofCrowd(7)))).toBe('duplicate');
    expect((await channel.metrics.hintsPending.get()).values).toEqual([{ labels: {}, value: maxPendingHints }]);
    channel.watch(stored('blue', ofCrowd(7)));
    expect(channel.hints.offer(changeRecord())).toBe('pending');
  });

  it('with many changed keys are refused sooner', () => {
    const changed = { added: [], changed: Array.from({ length: 4 }, (_, i) => String(i).repeat(240)), removed: [] };
    const isTaken = (i: number): boolean => channel.hints.offer(changeRecord({ ...ofCrowd(i), changed })) !== 'full';
    let taken = 0;
    while (taken < maxPendingHints && isTaken(taken)) taken++;
    expect(channel.hints.pending).toBe(taken);
    expect(taken).toBeGreaterThan(maxPendingHints / 10);
    expect(taken).toBeLessThan(maxPendingHints);
  });

  it('of one namespace leave room for those of another, and lose only their own oldest', async () => {
    channel.hints.offer(changeRecord());
    const results = Array.from({ length: maxPendingHints }, (_, i) =>
      channel.hints.offer(changeRecord({ namespace: 'mallory', name: `app-${String(i)}` })),
    );
    expect(new Set(results)).toEqual(new Set(['pending']));
    expect(channel.hints.pending).toBeLessThan(maxPendingHints / 3);
    const { superseded } = await channel.results();
    expect(superseded).toBe(maxPendingHints + 1 - channel.hints.pending);
    const [oldest, newest] = [0, maxPendingHints - 1].map((i) => ({ namespace: 'mallory', name: `app-${String(i)}` }));
    expect(channel.hints.offer(changeRecord(newest))).toBe('duplicate');
    expect(channel.hints.offer(changeRecord(oldest))).toBe('pending');
    channel.watch(stored('blue', { resourceVersion: '2' }));
    expect(attribution()).toMatchObject({ users: ['alice'], path: 'both' });
    await channel.clock.advance(20 * 60_000);
    expect([channel.hints.pending, channel.hints.kept.reads]).toEqual([0, 0]);
  });

  it('of one namespace that were confirmed take nothing of its share', async () => {
    const many = maxPendingHints / 2;
    for (let i = 0; i < many; i++) {
      const name = `app-${String(i)}`;
      channel.hints.offer(changeRecord({ name }));
      channel.watch(stored('blue', { name }));
    }
    expect(await channel.results()).toEqual({ confirmed: many });
  });
});

describe('the engine', () => {
  it('can ask for the attribution as soon as it is given the state, and may report it as observed', () => {
    const asked: unknown[] = [];
    channel.onStored = (record) => {
      channel.hints.observed(record);
      asked.push(attribution());
    };
    channel.write(stored('blue', { resourceVersion: '2' }));
    channel.hints.offer(changeRecord());
    return channel.clock.advance(300).then(() => {
      expect(asked).toEqual([expect.objectContaining({ users: ['alice'], path: 'webhook' })]);
    });
  });
});

describe('a source to be checked', () => {
  it('is read once, and what is stored goes to the index, even an older version', async () => {
    channel.watch(stored('blue', { resourceVersion: '9' }));
    const restored = stored('red', { resourceVersion: '3' });
    channel.write(restored);
    channel.hints.check(appConfig);
    await channel.clock.advance(60_000);
    expect(channel.readTimesMs).toEqual([300]);
    expect(channel.given).toEqual([restored]);
    expect(channel.clock.pendingTimers).toBe(0);
  });

  it('is removed from the index if it is deleted', async () => {
    channel.apiServer.clear();
    channel.hints.check(appConfig);
    await channel.clock.advance(60_000);
    expect(channel.index.size).toBe(0);
  });

  it('is read until a read succeeds', async () => {
    let failures = 2;
    channel.delay = async () => await (failures-- > 0 ? Promise.reject(new Error('no answer')) : Promise.resolve());
    channel.apiServer.clear();
    channel.hints.check(appConfig);
    await channel.clock.advance(60_000);
    expect(channel.reads).toHaveLength(3);
    expect(channel.index.size).toBe(0);
  });

  it('is read again when the watch moved meanwhile, whether or not there are hints', async () => {
    channel.hints.offer(changeRecord({ color: 'green' }));
    channel.hints.check(appConfig);
    channel.delay = async () => {
      channel.delay = async () => await Promise.resolve();
      channel.watch(stored('green', { resourceVersion: '4' }));
      await Promise.resolve();
    };
    await channel.clock.advance(60_000);
    expect(channel.reads).toHaveLength(2);
    expect(await channel.results()).toEqual({ confirmed: 1 });
    expect(channel.clock.pendingTimers).toBe(0);
  });

  it('is read again if the inconsistency arose during a read', async () => {
    const restored = stored('red', { resourceVersion: '3' });
    channel.write(stored('blue', { resourceVersion: '9' }));
    channel.hints.offer(changeRecord());
    channel.delay = async () => {
      channel.delay = async () => await Promise.resolve();
      channel.write(restored);
      channel.hints.check(appConfig);
      await Promise.resolve();
    };
    await channel.clock.advance(1_300);
    expect(channel.readTimesMs).toEqual([300, 1_300]);
    expect(channel.given).toEqual([restored]);
    await channel.clock.advance(60_000);
    expect(channel.given).toEqual([restored]);
    expect(channel.clock.pendingTimers).toBe(0);
  });

  it('is not a kind that is never announced', async () => {
    channel.hints.check({ kind: 'SecretProviderClass', namespace: 'shop', name: 'app' });
    await channel.clock.advance(60_000);
    expect(channel.reads).toEqual([]);
  });
});
