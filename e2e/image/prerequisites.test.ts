import { describe, expect, it } from '@jest/globals';
import { missingPrerequisites } from './prerequisites';

const able = { platform: 'linux-x64', userId: 0, has: () => true };

describe('what checking the image takes', () => {
  it('is there', () => {
    expect(missingPrerequisites(able)).toBeUndefined();
  });

  it.each([
    [
      { ...able, has: (program: string) => program !== 'buildah' },
      'The image is not checked: this needs buildah (apt-get install --no-install-recommends buildah).',
    ],
    [
      { ...able, userId: 1000 },
      'The image is not checked: this needs root (sudo -E env "PATH=$PATH" npm run check:image).',
    ],
    [
      { platform: 'darwin-arm64', userId: undefined, has: (program: string) => program !== 'setpriv' },
      'The image is not checked: this needs Linux on x64 (this is darwin-arm64) and root (sudo -E env "PATH=$PATH" npm ' +
        'run check:image) and setpriv (apt-get install --no-install-recommends util-linux).',
    ],
  ])('is named where it is missing, in one sentence', (machine, sentence) => {
    expect(missingPrerequisites(machine)).toBe(sentence);
  });
});
