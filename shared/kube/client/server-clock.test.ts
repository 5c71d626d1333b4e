import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../runtime/fake-clock';
import { ServerClock } from './server-clock';

let wall: FakeClock;
/** The API server's time is that of the wall clock before somebody sets it. */
let serverMs: () => number;

beforeEach(() => {
  wall = new FakeClock();
  const originMs = wall.nowMs();
  serverMs = () => originMs + wall.monotonicMs();
});

/** The header of an answer that is sent now. */
function date(): string {
  return new Date(serverMs()).toUTCString();
}

describe('a wall clock that agrees with the API server', () => {
  it.each([0, 1, 400, 999])('counts, %i ms after the full second', async (fractionMs) => {
    await wall.advance(fractionMs);
    const clock = new ServerClock(wall);
    clock.observe(date(), clock.monotonicMs());
    expect(clock.nowMs()).toBe(wall.nowMs());
  });

  it('counts though the answer took three seconds on its way', async () => {
    const clock = new ServerClock(wall);
    const sentMs = clock.monotonicMs();
    const answered = date();
    await wall.advance(3_000);
    clock.observe(answered, sentMs);
    expect(clock.nowMs()).toBe(wall.nowMs());
  });
});

describe('a wall clock that is off', () => {
  it.each([
    ['five minutes ahead', 300_000],
    ['nine minutes behind', -540_000],
    ['two seconds ahead', 2_000],
    ['one second behind', -1_000],
  ])('%s is corrected by the first answer, to within a second and never to a later time', async (_what, offMs) => {
    wall.jump(offMs);
    const clock = new ServerClock(wall);
    await wall.advance(700);
    clock.observe(date(), clock.monotonicMs());
    expect(clock.nowMs()).toBeLessThanOrEqual(serverMs());
    expect(clock.nowMs()).toBeGreaterThan(serverMs() - 1_000);
    await wall.advance(60_000);
    expect(clock.nowMs()).toBeGreaterThan(serverMs() - 1_000);
  });

  it('changes nothing if it is set while the process runs', async () => {
    const clock = new ServerClock(wall);
    wall.jump(-540_000);
    await wall.advance(2_000);
    expect(clock.nowMs()).toBe(serverMs());
  });

  it('counts as long as no answer has a date that can be read', () => {
    wall.jump(300_000);
    const clock = new ServerClock(wall);
    clock.observe(undefined, 0);
    clock.observe('soon', 0);
    expect(clock.nowMs()).toBe(wall.nowMs());
  });
});

it('passes durations and timers on', async () => {
  const clock = new ServerClock(wall);
  let rang = false;
  clock.timer(500, () => (rang = true));
  await wall.advance(500);
  expect([clock.monotonicMs(), rang]).toEqual([wall.monotonicMs(), true]);
});

describe('how far the wall clock is ahead', () => {
  it('is not known before the first answer, or from an answer without a date', () => {
    const clock = new ServerClock(wall);
    clock.observe(undefined, 0);
    expect(clock.aheadMs()).toBeUndefined();
  });

  it.each([300_000, -300_000])('is told: %i ms', (byMs) => {
    const clock = new ServerClock(wall);
    wall.jump(byMs);
    clock.observe(date(), clock.monotonicMs());
    expect(clock.aheadMs()).toBe(byMs);
  });
});
