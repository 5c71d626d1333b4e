import { describe, expect, it } from '@jest/globals';
import { systemClock } from './clock';

describe('the clock of the system', () => {
  it('calls back at once for no delay, before any timer that is due later', async () => {
    const calls: string[] = [];
    await new Promise<void>((resolve) => {
      systemClock.timer(1, () => {
        calls.push('later');
        resolve();
      });
      systemClock.timer(0, () => calls.push('now'));
      systemClock.timer(-5, () => calls.push('overdue'));
      calls.push('set');
    });
    expect(calls).toEqual(['set', 'now', 'overdue', 'later']);
  });

  it.each([0, 1])('does not call back after %d ms when cancelled', async (delayMs) => {
    let called = false;
    systemClock.timer(delayMs, () => (called = true)).cancel();
    await new Promise<void>((resolve) => systemClock.timer(2, resolve));
    expect(called).toBe(false);
  });
});
