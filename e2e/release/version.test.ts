import { describe, expect, it } from '@jest/globals';
import { compareVersions, isVersion } from './version';

describe('a version', () => {
  it.each(['0.1.0', '1.0.0', '10.20.30', '1.0.0-rc.1', '1.0.0-0.3.7', '1.0.0-x-y.z'])('%s is one', (text) => {
    expect(isVersion(text)).toBe(true);
  });

  it.each(['', '1', '1.0', 'v1.0.0', '01.0.0', '1.0.0-', '1.0.0-rc.01', '1.0.0+build', '1.0.0 ', 'latest'])(
    '"%s" is none',
    (text) => {
      expect(isVersion(text)).toBe(false);
    },
  );

  it('has its place among others, as Semantic Versioning lists them', () => {
    const ascending = [
      ...['0.9.9', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11'],
      ...['1.0.0-rc.1', '1.0.0', '1.0.10', '1.2.0', '2.0.0', '10.0.0'],
    ];
    for (const [index, a] of ascending.entries()) {
      for (const [other, b] of ascending.entries()) {
        expect([a, b, Math.sign(compareVersions(a, b))]).toEqual([a, b, Math.sign(index - other)]);
      }
    }
  });
});
