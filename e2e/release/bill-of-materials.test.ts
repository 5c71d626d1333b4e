import { describe, expect, it } from '@jest/globals';
import type { Metafile } from 'esbuild';
import { billOfMaterials } from './bill-of-materials';
import { bundledPackages, type LockFile } from './bundled-packages';

const application = { name: 'reroll', version: '1.0.0', description: 'Restarts.', license: 'Apache-2.0' };
const entry = { version: '2.0.0', license: 'MIT', integrity: 'sha512-AAEC' };

const lock: LockFile = {
  packages: {
    '': { dependencies: { '@a/b': '^2.0.0', unused: '^2.0.0' } },
    'node_modules/@a/b': { ...entry, dependencies: { c: '^1.0.0' }, optionalDependencies: { absent: '*' } },
    'node_modules/@a/b/node_modules/c': { ...entry, version: '1.0.0', license: '(MIT OR GPL-2.0)' },
    'node_modules/c': { ...entry, peerDependencies: { '@a/b': '*' } },
    'node_modules/d/node_modules/c': entry,
    'node_modules/unused': entry,
  },
};

/** A metafile in which each file has this many bytes in the bundle, and an output of its own. */
function metafile(bytes: Readonly<Record<string, number>>): Metafile {
  const outputs = Object.entries(bytes).map(([file, bytesInOutput], index) => [
    `dist/${index}.mjs`,
    { bytes: 0, inputs: { [file]: { bytesInOutput } }, imports: [], exports: [] },
  ]);
  return { inputs: {}, outputs: Object.fromEntries(outputs) as Metafile['outputs'] };
}

const bundledBytes = {
  'node_modules/c/index.js': 10,
  'main.ts': 10,
  'node_modules/@a/b/lib/one.js': 10,
  'node_modules/@a/b/lib/two.js': 10,
  'node_modules/@a/b/node_modules/c/index.js': 10,
  'node_modules/d/node_modules/c/index.js': 1,
  'node_modules/unused/index.js': 0,
};

const packages = bundledPackages(metafile(bundledBytes), lock);
const bill = JSON.parse(billOfMaterials(application, packages, lock)) as {
  components: Record<string, unknown>[];
  dependencies: unknown;
};

describe('the bill of materials', () => {
  it('lists what is in the bundle, each version once, and not what was left out of it', () => {
    expect(bill.components.map(({ purl }) => purl)).toEqual([
      'pkg:npm/%40a/b@2.0.0',
      'pkg:npm/c@1.0.0',
      'pkg:npm/c@2.0.0',
    ]);
  });

  it('has name, licence and hash of each', () => {
    expect(bill.components.slice(0, 2)).toEqual([
      {
        ...{ type: 'library', 'bom-ref': 'pkg:npm/%40a/b@2.0.0', group: '@a', name: 'b', version: '2.0.0' },
        hashes: [{ alg: 'SHA-512', content: '000102' }],
        licenses: [{ license: { id: 'MIT' } }],
        purl: 'pkg:npm/%40a/b@2.0.0',
      },
      expect.objectContaining({ name: 'c', licenses: [{ expression: '(MIT OR GPL-2.0)' }] }),
    ]);
  });

  it('tells which requires which: the nearest of that name, as Node finds it', () => {
    expect(bill.dependencies).toEqual([
      { ref: 'pkg:npm/reroll@1.0.0', dependsOn: ['pkg:npm/%40a/b@2.0.0'] },
      { ref: 'pkg:npm/%40a/b@2.0.0', dependsOn: ['pkg:npm/c@1.0.0'] },
      { ref: 'pkg:npm/c@1.0.0', dependsOn: [] },
      { ref: 'pkg:npm/c@2.0.0', dependsOn: ['pkg:npm/%40a/b@2.0.0'] },
    ]);
  });

  it('is the same however the bundle was read', () => {
    const reversed = metafile(Object.fromEntries(Object.entries(bundledBytes).toReversed()));
    const again = bundledPackages(reversed, lock);
    expect(billOfMaterials(application, again, lock)).toBe(billOfMaterials(application, packages, lock));
  });

  it('is not made of what the lock file does not know', () => {
    expect(() => bundledPackages(metafile({ 'node_modules/e/index.js': 1 }), lock)).toThrow(
      'package-lock.json does not lock node_modules/e, which is in the bundle',
    );
  });
});
