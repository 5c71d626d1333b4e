import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The limit for the bytes that inputs leave in memory. */
export const maxRetainedBytes = 5 * 1024 * 1024;

const times = 3;

/**
 * CPU time of `work` in milliseconds: the minimum of up to three runs, since others share the machine. A run that takes
 * at most `enoughMs` is the last one.
 */
export async function processorMs(work: () => Promise<void>, enoughMs: number): Promise<number> {
  let least = Infinity;
  for (let time = 0; time < times && least > enoughMs; time++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/**
 * Bytes in use on the heap, and in buffers outside of it, after a garbage collection. V8 frees the buffers of a
 * collection in another thread and counts them until that is done; the second collection waits for it.
 */
export function liveBytes(): number {
  collectGarbage();
  collectGarbage();
  return usedBytes();
}

/**
 * Bytes retained since there were `before` live bytes, or more: garbage is collected only if the total including
 * garbage reaches the limit.
 */
export function retainedBytes(before: number): number {
  const withGarbage = usedBytes() - before;
  return withGarbage < maxRetainedBytes ? withGarbage : liveBytes() - before;
}

function usedBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
