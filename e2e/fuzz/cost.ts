import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What may stay behind after inputs. */
export const maxRetainedBytes = 5 * 1024 * 1024;

const times = 3;

/** Processor time of `work` in milliseconds: the least of several, since others share the machine. */
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
 * What lives on the heap, and in buffers beside it, once everything else is collected. V8 frees the buffers of a
 * collection in another thread and counts them until it is done. The next collection waits for that.
 */
export function liveBytes(): number {
  collectGarbage();
  collectGarbage();
  return usedBytes();
}

/** What stayed since there were `before` live bytes, or more: garbage is collected only if there is too much with it. */
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
