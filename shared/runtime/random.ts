import { randomBytes } from 'node:crypto';

/** The only source of randomness. It is passed in, so that a seed determines everything. */
export interface Random {
  /** At least 0, less than 1. */
  float(): number;
  bytes(length: number): Buffer;
}

export const systemRandom: Random = {
  float: () => randomBytes(4).readUInt32BE() / 2 ** 32,
  bytes: (length) => randomBytes(length),
};

/** Lower-case hex, for names of objects. */
export function randomHex(random: Random, digits: number): string {
  return random
    .bytes(Math.ceil(digits / 2))
    .toString('hex')
    .slice(0, digits);
}

export interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
}

/**
 * Exponential backoff with full jitter, never below the base: many clients that fail together must not retry together.
 * `attempt` counts from 0.
 */
export function backoffMs(random: Random, attempt: number, { baseMs, maxMs }: BackoffOptions): number {
  const ceilingMs = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
  return baseMs + random.float() * (ceilingMs - baseMs);
}
