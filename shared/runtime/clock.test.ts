import { describe, expect, it } from '@jest/globals';
import { systemClock } from './clock';

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
