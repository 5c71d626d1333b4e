import fc from 'fast-check';
import type { Draw } from '../simulation/draw';

/** Generated inputs that are not derived from other inputs: JSON, text, bytes, and sequences of dictionary words. */
export function freshInputs(draw: Draw, dictionary: readonly string[]): readonly Buffer[] {
  const words = dictionary.length > 0 ? dictionary : [''];
  const arbitrary = fc.oneof(
    fc.json({ maxDepth: 5 }).map((text) => Buffer.from(text)),
    fc.string({ unit: 'binary-ascii', maxLength: 60 }).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    fc.array(fc.constantFrom(...words), { maxLength: 8 }).map((parts) => Buffer.from(parts.join(''))),
  );
  return fc.sample(arbitrary, { seed: draw.seed(), numRuns: 64 });
}
