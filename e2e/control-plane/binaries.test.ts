import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { assetsDirOf, binaryNames, cacheDir, kwokStageFiles, locateBinaries } from './binaries';
import { type TemporaryDir, createTemporaryDir } from './temporary-dir';
import { projectDir } from './versions';

let temporary: TemporaryDir;
let assetsDir: string;
let cache: string;

const fill = (dir: string, names: readonly string[]): void => {
  mkdirSync(dir, { recursive: true });
  for (const name of names) writeFileSync(path.join(dir, name), '');
};

beforeEach(() => {
  temporary = createTemporaryDir();
  assetsDir = path.join(temporary.dir, 'assets');
  cache = path.join(temporary.dir, 'cache');
});

afterEach(() => temporary.dispose());

describe('locateBinaries', () => {
  it('prefers what is ready-made and takes the rest from the cache', () => {
    fill(assetsDir, ['etcd', 'kubectl']);
    fill(cache, binaryNames);
    fill(path.join(cache, 'stages'), Object.keys(kwokStageFiles));
    const { binaries, stages } = locateBinaries({ assetsDir, cacheDir: cache });
    expect(binaries.etcd).toBe(path.join(assetsDir, 'etcd'));
    expect(binaries.kwok).toBe(path.join(cache, 'kwok'));
    expect(stages).toHaveLength(Object.keys(kwokStageFiles).length);
  });

  it('names what is missing and the command that builds it', () => {
    fill(assetsDir, ['etcd', 'kube-apiserver', 'kubectl']);
    expect(() => locateBinaries({ assetsDir, cacheDir: cache })).toThrow(
      'no kube-controller-manager, kube-scheduler, kwok, KWOK stages. Run: npx tsx e2e/control-plane/build.ts',
    );
  });

  it('misses a stage that an older cache does not have', () => {
    fill(cache, binaryNames);
    fill(path.join(cache, 'stages'), Object.keys(kwokStageFiles).slice(1));
    expect(() => locateBinaries({ assetsDir: undefined, cacheDir: cache })).toThrow('no KWOK stages');
  });
});

it('keeps built programs in the ignored folder of the project, one folder per set of versions', () => {
  const dir = cacheDir({ kubernetes: 'v1.2.3', etcd: 'v4.5.6', kwok: 'v7.8.9' });
  expect(path.dirname(dir)).toBe(path.join(projectDir, '.cache', 'control-plane'));
  expect(path.basename(dir)).toContain('kubernetes-v1.2.3_etcd-v4.5.6_kwok-v7.8.9_');
});

it('takes the ready-made folder from KUBEBUILDER_ASSETS', () => {
  expect(assetsDirOf({ KUBEBUILDER_ASSETS: '/opt/assets' })).toBe('/opt/assets');
  expect(assetsDirOf({ KUBEBUILDER_ASSETS: '' })).toBeUndefined();
  expect(assetsDirOf({})).toBeUndefined();
});
