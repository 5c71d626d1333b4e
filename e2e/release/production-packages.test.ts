import { describe, expect, it } from '@jest/globals';
import type { LockFile } from './bundled-packages';
import { dependenciesPage, installScriptProblems, productionPackages } from './production-packages';

const lock: LockFile = {
  packages: {
    '': { version: '1.0.0' },
    'node_modules/b': { version: '2.0.0', license: 'MIT' },
    'node_modules/@a/b': { version: '1.0.0', hasInstallScript: true },
    'node_modules/@a/b/node_modules/b': { version: '1.0.0', license: 'ISC' },
    'node_modules/c/node_modules/b': { version: '2.0.0', license: 'MIT' },
    'node_modules/built-with': { version: '1.0.0', license: 'GPL-3.0', dev: true, hasInstallScript: true },
    'node_modules/optional': { version: '1.0.0', license: 'MIT', devOptional: true, hasInstallScript: true },
  },
};

const bundled = [
  { folder: 'node_modules/b', name: 'b', version: '2.0.0', licence: 'MIT', integrity: 'sha512-AA', requires: [] },
];

describe('the production tree', () => {
  it('is all that is installed for what is shipped, each version once', () => {
    expect(productionPackages(lock).map(({ name, version, licence }) => `${name} ${version}: ${licence}`)).toEqual([
      '@a/b 1.0.0: none stated',
      'b 1.0.0: ISC',
      'b 2.0.0: MIT',
      'optional 1.0.0: MIT',
    ]);
  });

  it('is listed with licences, and with what is bundled of it', () => {
    expect(dependenciesPage(lock, bundled).split('\n').slice(-6)).toEqual([
      '| --- | --- | --- | --- |',
      '| @a/b | 1.0.0 | none stated | no |',
      '| b | 1.0.0 | ISC | no |',
      '| b | 2.0.0 | MIT | yes |',
      '| optional | 1.0.0 | MIT | no |',
      '',
    ]);
  });

  it('names who runs a script when it is installed, and why that is refused', () => {
    expect(installScriptProblems(lock)).toEqual([
      expect.stringMatching(
        /^@a\/b 1\.0\.0 runs a script when it is installed: whoever takes the package over runs theirs/,
      ),
      expect.stringContaining('optional 1.0.0 runs a script'),
    ]);
  });
});
