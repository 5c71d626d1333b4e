import { describe, expect, it } from '@jest/globals';
import { readCorpus } from './corpus-files';
import { liveBytes, maxRetainedBytes, processorMs, retainedBytes } from './cost';
import { seedsOf, usualMaxMs } from './target';
import { loadTarget, targets } from './targets';

/**
 * Multiplies the time limits, so that a busy machine does not fail a sound parser. A parser that has become quadratic
 * exceeds even these limits by far.
 */
const patience = 20;

describe.each([...targets.keys()])('%s', (name) => {
  it('keeps its promises for every input that was kept', async () => {
    const target = await loadTarget(name);
    const inputs = [...(await seedsOf(target)), ...readCorpus(name)];
    const maxMs = (target.maxMs ?? usualMaxMs) * patience;
    for (const input of inputs) await target.run(input);
    const before = liveBytes();
    for (const input of inputs) {
      const ms = await processorMs(async () => await target.run(input), maxMs);
      if (ms > maxMs) throw new Error(`${ms} ms for ${JSON.stringify(input.toString('latin1').slice(0, 200))}`);
    }
    expect(retainedBytes(before)).toBeLessThan(maxRetainedBytes);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
