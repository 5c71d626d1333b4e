import type { Random } from '../../shared/runtime/random';

/** Seeded pseudo-randomness (mulberry32): the same seed gives the same run. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const float = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { float, bytes: (length) => Buffer.from(Array.from({ length }, () => Math.floor(float() * 256))) };
}
