import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { settledAtMs, SettleWindows } from './settle-window';

const times = { settleMs: 1_000, settleMaxMs: 3_000 };
const web = 'Deployment/shop/web';

describe('SettleWindows', () => {
  let clock: FakeClock;
  let windows: SettleWindows;

  beforeEach(() => {
    clock = new FakeClock();
    windows = new SettleWindows(clock);
  });

  it('remembers the names of a limited number of sources, and the time of all', async () => {
    for (let source = 0; source < 2_000; source++) windows.touch(web, `cm/${source}`);
    await clock.advance(500);
    windows.touch(web, 'cm/last');
    expect(windows.remainingMs(web, times)).toBe(1_000);
    expect(windows.close(web).noticedMs.size).toBe(500);
  });

  it('tells when a window was opened, until it is closed', async () => {
    expect(windows.openedMs(web)).toBeUndefined();
    await clock.advance(100);
    windows.touch(web, 'cm/app');
    await clock.advance(100);
    windows.touch(web, 'cm/app');
    expect(windows.openedMs(web)).toBe(100);
    windows.close(web);
    expect(windows.openedMs(web)).toBeUndefined();
  });

  it('neither begins nor prolongs it for what does not count, but knows when that was noticed', async () => {
    windows.notice(web, 'secret/db');
    expect([windows.openedMs(web), windows.remainingMs(web, times)]).toEqual([undefined, 0]);
    await clock.advance(500);
    windows.touch(web, 'cm/app');
    await clock.advance(500);
    windows.notice(web, 'secret/db');
    expect([windows.openedMs(web), windows.remainingMs(web, times)]).toEqual([500, 500]);
    const { firstMs, noticedMs } = windows.close(web);
    expect([firstMs, [...noticedMs]]).toEqual([
      500,
      [
        ['secret/db', 0],
        ['cm/app', 500],
      ],
    ]);
  });

  it('has no window if nothing changed', () => {
    expect(windows.remainingMs(web, times)).toBe(0);
    expect(windows.close(web).noticedMs.size).toBe(0);
  });

  it.each([
    ['one change', [0], 1_000],
    ['each change begins the quiet anew', [0, 800, 1_600], 2_600],
    ['changes without end: the longest duration', [0, 800, 1_600, 2_400, 2_900], 3_000],
  ])('ends after %s', async (_when, changesMs, endMs) => {
    for (const changeMs of changesMs) {
      await clock.advance(changeMs - clock.monotonicMs());
      windows.touch(web, 'cm/app');
    }
    expect(windows.remainingMs(web, times)).toBe(endMs - clock.monotonicMs());
    await clock.advance(endMs - clock.monotonicMs() - 1);
    expect(windows.remainingMs(web, times)).toBe(1);
    await clock.advance(1_000);
    expect(windows.remainingMs(web, times)).toBe(0);
  });

  it('takes its times from the caller: they may change while it is open', () => {
    windows.touch(web, 'cm/app');
    expect(windows.remainingMs(web, { settleMs: 0, settleMaxMs: 3_000 })).toBe(0);
    expect(windows.remainingMs(web, { settleMs: 9_000, settleMaxMs: 3_000 })).toBe(3_000);
  });

  it('ignores jumps of the wall clock', () => {
    windows.touch(web, 'cm/app');
    clock.jump(86_400_000);
    expect(windows.remainingMs(web, times)).toBe(1_000);
  });

  it('returns when it was opened, once it is closed', async () => {
    await clock.advance(500);
    windows.touch(web, 'cm/app');
    await clock.advance(500);
    windows.touch(web, 'secret/db');
    expect(windows.close(web).firstMs).toBe(500);
    expect(windows.close(web).firstMs).toBeUndefined();
  });

  it('returns when each source first changed, and since when they are quiet', async () => {
    for (const source of ['cm/app', 'secret/db', 'cm/app']) {
      windows.touch(web, source);
      await clock.advance(400);
    }
    const settled = windows.close(web);
    expect([...settled.noticedMs]).toEqual([
      ['cm/app', 0],
      ['secret/db', 400],
    ]);
    expect(settledAtMs(settled, times)).toBe(1_800);
    expect(settledAtMs(settled, { settleMs: 1_000, settleMaxMs: 1_500 })).toBe(1_500);
    expect(settledAtMs(windows.close(web), times)).toBeUndefined();
  });

  it('names each source once when it is closed, and no longer exists then', async () => {
    for (const source of ['cm/app', 'secret/db', 'cm/app']) windows.touch(web, source);
    windows.touch('Deployment/shop/other', 'cm/other');
    expect([...windows.close(web).noticedMs.keys()]).toEqual(['cm/app', 'secret/db']);
    expect(windows.close(web).noticedMs.size).toBe(0);
    expect(windows.remainingMs(web, times)).toBe(0);
    await clock.advance(2_900);
    windows.touch(web, 'cm/app');
    expect(windows.remainingMs(web, times)).toBe(1_000);
  });
});
