import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { binaryNames } from './binaries';
import { goModules } from './go-modules';
import { goModulesDir, pinnedVersions, requiredVersion } from './versions';

const goFile = (folder: string, file: string): string => readFileSync(path.join(goModulesDir, folder, file), 'utf8');

describe('requiredVersion', () => {
  it.each([
    ['a block', 'require (\n\texample.org/a v1.2.3\n)'],
    ['a single line', 'require example.org/a v1.2.3'],
    ['an indirect requirement', 'require (\n\texample.org/a v1.2.3 // indirect\n)'],
  ])('reads %s', (_form, goMod) => {
    expect(requiredVersion(goMod, 'example.org/a')).toBe('v1.2.3');
  });

  it.each([
    ['another module with the same beginning', 'require example.org/a/b v1.2.3'],
    ['a replacement', 'replace example.org/a => example.org/a v1.2.3'],
    ['a comment', '// require example.org/a v1.2.3'],
  ])('is not misled by %s', (_form, goMod) => {
    expect(() => requiredVersion(goMod, 'example.org/a')).toThrow('go.mod does not require example.org/a');
  });
});

describe('the committed Go modules', () => {
  it('pin every staging module of Kubernetes to the release of Kubernetes', () => {
    const staging = pinnedVersions().kubernetes.replace(/^v1\./, 'v0.');
    const replacements = [...goFile('kubernetes', 'go.mod').matchAll(/^\t(\S+) => (\S+) (\S+)$/gm)];
    expect(replacements).toHaveLength(33);
    for (const [, from, to, version] of replacements) expect([to, version]).toEqual([from, staging]);
  });

  it('import every program that is built', () => {
    const built = goModules.flatMap((goModule) => Object.keys(goModule.packages));
    expect(built.sort()).toEqual([...binaryNames].sort());
    for (const { folder, packages } of goModules) {
      for (const mainPackage of Object.values(packages)) {
        expect(goFile(folder, 'tools.go')).toContain(`"${mainPackage}"`);
      }
    }
  });
});
