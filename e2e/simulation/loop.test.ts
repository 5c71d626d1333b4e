import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../apiserver/seeded-random';
import { Loop } from './loop';
import { SimulatedProcess } from './process';

describe('the event loop of a simulated world', () => {
  it('runs events in the order of time, each with all code that waits for its promises', async () => {
    const loop = new Loop(seededRandom(1));
    const seen: string[] = [];
    loop.timer(20, () => seen.push('late'));
    loop.timer(10, () => void Promise.resolve().then(() => seen.push('its promise')));
    loop.timer(10.5, () => seen.push('next'));
    loop.timer(15, () => seen.push('cancelled')).cancel();
    await loop.runUntil(100);
    expect(seen).toEqual(['its promise', 'next', 'late']);
    expect(loop.monotonicMs()).toBe(100);
  });

  it('orders the events of one moment by the seed', async () => {
    const run = async (seed: number): Promise<string> => {
      const loop = new Loop(seededRandom(seed));
      let seen = '';
      for (const name of 'abcdef') loop.timer(5, () => (seen += name));
      await loop.runUntil(5);
      return seen;
    };
    expect(await run(1)).toBe(await run(1));
    expect(new Set(await Promise.all([1, 2, 3, 4].map(run))).size).toBeGreaterThan(1);
  });
});

describe('a simulated process', () => {
  function started() {
    const loop = new Loop(seededRandom(1));
    const seen: string[] = [];
    return { loop, seen, process: new SimulatedProcess('engine-0-1', loop, seededRandom(2)) };
  }

  it('receives nothing once it is dead', async () => {
    const { loop, seen, process } = started();
    process.clock.timer(10, () => seen.push('timer'));
    loop.timer(5, () => process.kill());
    loop.timer(20, () => process.deliver(() => seen.push('bytes')));
    await loop.runUntil(100);
    expect(seen).toEqual([]);
  });

  it('receives everything late and in order after it was frozen', async () => {
    const { loop, seen, process } = started();
    process.freeze();
    process.clock.timer(10, () => seen.push('timer'));
    loop.timer(20, () => process.deliver(() => seen.push('bytes')));
    await loop.runUntil(50);
    expect(seen).toEqual([]);
    process.thaw();
    await loop.runUntil(60);
    expect(seen).toEqual(['timer', 'bytes']);
  });

  it('has a wall clock that may be wrong, and a monotonic clock that is right', () => {
    const { loop, process } = started();
    process.setClockOff(-700);
    expect(process.clock.nowMs()).toBe(loop.nowMs() - 700);
    expect(process.clock.monotonicMs()).toBe(loop.monotonicMs());
  });
});
