import { randomBytes } from 'node:crypto';

/** The only source of randomness. It is passed in, so that a seed determines everything. */
export interface Random {
  /** At least 0, less than 1. */
  float(): number;
  bytes(length: number): Buffer;
}

/** Keys are longer, and do not stay in a pool. */
const maxPooledBytes = 16;
const poolBytes = 1_024;

/** Takes the bytes of many ids from `entropy` at once, because each call goes to the kernel. No byte is given twice. */
export function pooledRandom(entropy: (length: number) => Buffer): Random {
  let pool: Buffer = Buffer.alloc(0);
  const bytes = (length: number): Buffer => {
    if (length > maxPooledBytes) return entropy(length);
    if (pool.length < length) pool = entropy(poolBytes);
    const taken = Buffer.from(pool.subarray(0, length));
    pool = pool.subarray(length);
    return taken;
  };
  return { bytes, float: () => bytes(4).readUInt32BE() / 2 ** 32 };
}

export const systemRandom: Random = pooledRandom(randomBytes);

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
