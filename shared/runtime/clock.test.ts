import { describe, expect, it } from '@jest/globals';
import { type Clock, longTimer, maxDelayMs, systemClock } from './clock';
import { FakeClock } from './fake-clock';

describe('the clock of the system', () => {
  it('calls back for no delay in the next turn, before any timeout', async () => {
    const calls: string[] = [];
    setImmediate(() => calls.push('before'));
    systemClock.timer(0, () => calls.push('now'));
    systemClock.timer(-5, () => calls.push('overdue'));
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(calls).toEqual(['before', 'now', 'overdue']);
  });

  it.each([0, 1])('does not call back after %d ms when cancelled', async (delayMs) => {
    let called = false;
    systemClock.timer(delayMs, () => (called = true)).cancel();
    await new Promise<void>((resolve) => systemClock.timer(2, resolve));
    expect(called).toBe(false);
  });
});

describe('a timer of weeks', () => {
  const dayMs = 24 * 60 * 60_000;

  /** Calls back at once after a longer delay, as Node does. */
  function timersOf(clock: FakeClock): Clock['timer'] {
    return (delayMs, callback) => clock.timer(delayMs > maxDelayMs ? 1 : delayMs, callback);
  }

  it.each([1, 24, 25, 60])('calls back once after %d days, and not before', async (days) => {
    const clock = new FakeClock();
    let calls = 0;
    longTimer(timersOf(clock), days * dayMs, () => (calls += 1));
    await clock.advance(days * dayMs - 1);
    expect(calls).toBe(0);
    await clock.advance(1);
    expect(calls).toBe(1);
    await clock.advance(100 * dayMs);
    expect(calls).toBe(1);
  });

  it.each([0, 26])('does not call back after 60 days when cancelled after %d', async (days) => {
    const clock = new FakeClock();
    let called = false;
    const timer = longTimer(timersOf(clock), 60 * dayMs, () => (called = true));
    await clock.advance(days * dayMs);
    timer.cancel();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(100 * dayMs);
    expect(called).toBe(false);
  });
});
