import { liveBytes, maxRetainedBytes, processorMs } from './cost';
import { describeThrown } from './finding';
import { seedsOf, usualMaxMs, type Target } from './target';

/** The outcome of one input, for people. */
export interface Replay {
  readonly lines: readonly string[];
  readonly isWell: boolean;
}

/**
 * Runs one input and checks for errors, time and memory. The target is as it ships, and has read only its seeds before.
 */
export async function replay(target: Target, input: Buffer): Promise<Replay> {
  const { maxMs = usualMaxMs } = target;
  for (const seed of await seedsOf(target)) await target.run(seed);
  const before = liveBytes();
  try {
    await target.run(input);
  } catch (thrown) {
    const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
    return { lines: [`throws: ${describeThrown(thrown)}`, stack], isWell: false };
  }
  const keptBytes = liveBytes() - before;
  const ms = await processorMs(async () => await target.run(input), maxMs);
  return {
    lines: [
      `${input.length} bytes: ${ms.toFixed(1)} ms of the processor, ${Math.round(keptBytes / 1024)} KiB stay`,
      `allowed are ${maxMs} ms and ${maxRetainedBytes / 1024} KiB`,
    ],
    isWell: ms <= maxMs && keptBytes <= maxRetainedBytes,
  };
}
