import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { KnownGates } from './known-gates';
import type { Watches } from './watches';

let clock: FakeClock;
let standing: ReturnType<Watches['gatesStanding']>;
let lists: number;
let gates: KnownGates;

beforeEach(() => {
  clock = new FakeClock();
  standing = 'unknown';
  lists = 0;
  const listGatesAgain = async (): Promise<void> => await Promise.resolve(void (lists += 1));
  gates = new KnownGates({ clock, watches: { gatesStanding: () => standing, listGatesAgain } });
});

/** The standing from now on, as the next progress reports it. */
function progress(now: typeof standing): boolean {
  standing = now;
  return gates.progress();
}

describe('what keeps restarts from beginning is known', () => {
  it('once everything is listed, and this is told once', () => {
    expect([progress('unknown'), progress('known'), progress('known')]).toEqual([false, true, false]);
    expect(gates.isKnown).toBe(true);
  });

  it('if Reroll may not list it for a while', async () => {
    expect(progress('refused')).toBe(false);
    await clock.advance(14_999);
    expect(progress('refused')).toBe(false);
    await clock.advance(1);
    expect(progress('refused')).toBe(true);
  });

  it('not after refusals with another answer between them', async () => {
    progress('refused');
    await clock.advance(10_000);
    progress('unknown');
    progress('refused');
    await clock.advance(10_000);
    expect(progress('refused')).toBe(false);
  });

  it('although a later list is refused', () => {
    progress('known');
    progress('refused');
    expect(gates.isKnown).toBe(true);
  });

  it('no longer when a term begins, until it is listed again', async () => {
    progress('known');
    gates.listAgain();
    expect([gates.isKnown, lists]).toEqual([false, 1]);
    progress('refused');
    await clock.advance(15_000);
    gates.listAgain();
    expect(progress('refused')).toBe(false);
    expect(progress('known')).toBe(true);
  });
});
