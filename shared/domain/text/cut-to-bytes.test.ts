import { describe, expect, it } from '@jest/globals';
import { cutToBytes } from './cut-to-bytes';

describe('cutToBytes', () => {
  it('leaves a text that fits unchanged', () => {
    expect(cutToBytes('größe', 7)).toBe('größe');
  });

  it('counts bytes and not characters', () => {
    expect(cutToBytes('€'.repeat(13), 39)).toBe('€'.repeat(13));
    expect(cutToBytes('€'.repeat(14), 41)).toBe(`${'€'.repeat(12)}…`);
  });

  it.each(['x', 'é', '€', '😀'])('cuts a text of %s between characters and marks the cut', (character) => {
    for (const shift of ['', '.', '..', '...']) {
      const cut = cutToBytes(shift + character.repeat(50), 40);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(40);
      expect(Buffer.byteLength(cut)).toBeGreaterThan(33);
      expect(cut).toMatch(/…$/);
      expect(cut).not.toContain('\ufffd');
    }
  });
});
