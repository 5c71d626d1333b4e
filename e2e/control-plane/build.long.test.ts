import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { binaryNames, kwokStageFiles } from './binaries';
import { buildBinaries } from './build';
import { type TemporaryDir, createTemporaryDir } from './temporary-dir';
import { pinnedVersions } from './versions';

let temporary: TemporaryDir;
let cacheDir: string;
let goCommand: string;
let lines: string[];

/** A fake Go: records how it was called, writes half of a program, fails if told to, else writes the rest. */
const fakeGo = `#!/bin/sh
dir=\${0%/*}
echo "$*" >>"$dir/calls"
case $1 in
mod) echo "{\\"Dir\\": \\"$dir/kwok-module\\"}" ;;
build)
  while [ "$1" != -o ]; do shift; done
  printf half >"$2"
  [ ! -e "$dir/fail" ] || exit 1
  printf ' and half' >>"$2"
  ;;
esac
`;

const inDir = (file: string): string => path.join(temporary.dir, file);
const calls = (): string[] =>
  existsSync(inDir('calls')) ? readFileSync(inDir('calls'), 'utf8').trim().split('\n') : [];
const build = async (assetsDir?: string): Promise<string> =>
  await buildBinaries({ cacheDir, assetsDir, goCommand, print: (line) => lines.push(line) });

beforeEach(() => {
  temporary = createTemporaryDir();
  cacheDir = inDir('cache');
  goCommand = inDir('go');
  lines = [];
  writeFileSync(goCommand, fakeGo, { mode: 0o755 });
  for (const source of Object.values(kwokStageFiles)) {
    mkdirSync(path.dirname(inDir(`kwok-module/${source}`)), { recursive: true });
    writeFileSync(inDir(`kwok-module/${source}`), source);
  }
});

afterEach(() => temporary.dispose());

it('builds every program and copies the stages, and prints what and how long', async () => {
  await expect(build()).resolves.toBe(cacheDir);
  expect(readdirSync(cacheDir).sort()).toEqual([...binaryNames, 'stages'].sort());
  expect(readFileSync(path.join(cacheDir, 'kwok'), 'utf8')).toBe('half and half');
  expect(readdirSync(path.join(cacheDir, 'stages')).sort()).toEqual(Object.keys(kwokStageFiles).sort());
  expect(lines).toContain('control plane: building kubectl');
  expect(lines).toContainEqual(expect.stringMatching(/^control plane: built kubectl in \d+ s$/));
});

it('tells the API server its version', async () => {
  await build();
  const call = calls().find((line) => line.endsWith('cmd/kube-apiserver'));
  expect(call).toContain(`-X k8s.io/component-base/version.gitVersion=${pinnedVersions().kubernetes}`);
});

it('does not need Go when nothing is missing', async () => {
  await build();
  const callsOfFirst = calls().length;
  goCommand = inDir('no-such-go');
  await build();
  expect(calls()).toHaveLength(callsOfFirst);
  expect(lines.at(-1)).toContain('nothing to build');
});

it('builds only what is missing', async () => {
  await build();
  writeFileSync(inDir('calls'), '');
  rmSync(path.join(cacheDir, 'kwok'));
  await build();
  expect(calls()).toEqual(['version', expect.stringMatching(/^build .*cmd\/kwok$/)]);
});

it('builds nothing that is ready-made', async () => {
  mkdirSync(inDir('assets'));
  for (const name of ['etcd', 'kube-apiserver', 'kubectl']) writeFileSync(inDir(`assets/${name}`), '');
  await build(inDir('assets'));
  expect(readdirSync(cacheDir).sort()).toEqual(['kube-controller-manager', 'kube-scheduler', 'kwok', 'stages']);
});

it('does not take a failed build as done, and leaves nothing of it', async () => {
  writeFileSync(inDir('fail'), '');
  await expect(build()).rejects.toThrow('go build in go/etcd ended with code 1');
  expect(readdirSync(cacheDir)).toEqual([]);
});

it('removes what a killed build left, but not what a running one is at', async () => {
  const deadPid = spawnSync(process.execPath, ['-e', '']).pid;
  mkdirSync(path.join(cacheDir, `.building-${deadPid}-a`), { recursive: true });
  mkdirSync(path.join(cacheDir, `.building-${process.pid}-b`));
  await build();
  expect(readdirSync(cacheDir).filter((entry) => entry.startsWith('.building'))).toEqual([
    `.building-${process.pid}-b`,
  ]);
});

it('says what to do without Go', async () => {
  goCommand = inDir('no-such-go');
  await expect(build()).rejects.toThrow(/^Go is needed to build etcd, .* Install Go .* or set KUBEBUILDER_ASSETS/);
});
