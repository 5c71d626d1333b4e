import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { commands } from '../../commands';
import { createTemporaryDir, type TemporaryDir } from '../control-plane/temporary-dir';
import { projectDir } from '../control-plane/versions';
import { archiveOf, bundledFiles } from './archive';
import { krewManifest, krewProblems, writeArchive } from './krew-manifest';

const archived = ['reroll.mjs', 'parts/a.mjs', 'LICENSE', 'third-party-licences.txt'];
const manifest = krewManifest(projectDir, '1.2.3', Buffer.from('archive'));

describe('the manifest for krew', () => {
  it('is one that krew accepts', () => {
    expect(krewProblems(manifest, archived)).toEqual([]);
  });

  it('has the version and the digest of the archive, and no placeholder', () => {
    expect(manifest).toContain('version: v1.2.3\n');
    expect(manifest).toContain('/releases/download/v1.2.3/reroll-1.2.3.tar.gz\n');
    expect(manifest).toContain(createHash('sha256').update('archive').digest('hex'));
    expect(manifest).not.toContain('@');
  });

  it('says which commands change anything', async () => {
    const all = await Promise.all(commands.map(async ({ name, load }) => [name, (await load()).notes ?? ''] as const));
    const writing = all.filter(([, notes]) => notes.includes('to change the object')).map(([name]) => name);
    expect(writing).not.toEqual([]);
    const [last, ...others] = writing.toReversed();
    const named = `${others.toReversed().join(', ')} and ${last}`;
    expect(manifest).toContain(`Only ${named} change anything in the cluster`);
  });

  it.each<[from: string | RegExp, to: string, problem: string]>([
    ['v1alpha2', 'v1alpha1', 'apiVersion: Invalid input'],
    ['kind: Plugin', 'kind: Plug', 'kind: Invalid input'],
    ['name: reroll', 'name: re/roll', 'metadata.name: not a name of a plugin'],
    ['name: reroll', 'name: other', 'its name is other'],
    ['version: v1.2.3', 'version: 1.2.3', 'spec.version: not a version such as v1.2.3'],
    ['version: v1.2.3', 'version: v1.2', 'spec.version: not a version'],
    ['version: v1.2.3', 'version: v1.2.4', 'is not the archive of 1.2.4'],
    [/shortDescription: .*/, `shortDescription: ${'x'.repeat(51)}`, 'spec.shortDescription: Too big'],
    [/shortDescription: .*/, 'shortDescription: "a\\nb"', 'spec.shortDescription: several lines'],
    [/shortDescription: .*/, 'shortDescription: It says why.', 'spec.shortDescription: several lines, or a full stop'],
    ['uri: https', 'uri: http', 'spec.platforms.0.uri: Invalid URL'],
    [/sha256: .*/, "sha256: 'ABC'", 'spec.platforms.0.sha256: not a SHA-256'],
    ['bin: reroll.mjs', 'bin: reroll', 'bin reroll is not in the archive'],
    ['key: os', 'key: node', 'spec.platforms.0.selector.matchExpressions.0.key'],
    [/selector:\n.*\n.*\n/, 'selector: {}\n', 'spec.platforms.0.selector: selects nothing'],
    ['from: parts', 'from: pieces', 'pieces is not in the archive'],
    ['        - { from: LICENSE, to: . }\n', '', 'LICENSE of the archive is not installed'],
    [/ {2}platforms:[^]*/, '  platforms: []\n', 'spec.platforms: Too small'],
    ['Node 20.19', 'something', 'the caveats do not say that it needs Node'],
    ['  homepage', '  homePage', 'spec.homepage: Invalid input'],
  ])('with %p as %p is refused', (from, to, problem) => {
    const changed = manifest.replace(from, to);
    expect(changed).not.toBe(manifest);
    const problems = krewProblems(changed, archived);
    expect(problems.filter((text) => !text.startsWith('deploy/krew/reroll.yaml: '))).toEqual([]);
    expect(problems.join('\n')).toContain(problem);
  });
});

describe('the archive', () => {
  let temporary: TemporaryDir;

  beforeEach(() => {
    temporary = createTemporaryDir();
  });

  afterEach(() => temporary.dispose());

  it('is the same whenever it is made, in whatever order its files come', () => {
    const files = [
      { name: 'b', content: Buffer.from('2') },
      { name: 'a', content: Buffer.alloc(512), isExecutable: true },
    ];
    expect(archiveOf(files)).toEqual(archiveOf(files.toReversed()));
    expect(
      createHash('sha256')
        .update(archiveOf(bundledFiles(projectDir)))
        .digest('hex'),
    ).toBe(
      createHash('sha256')
        .update(archiveOf(bundledFiles(projectDir).toReversed()))
        .digest('hex'),
    );
  });

  it('refuses a name for which there is no room', () => {
    expect(() => archiveOf([{ name: 'x'.repeat(101), content: Buffer.of() }])).toThrow('too long a name');
  });

  it('has what tar unpacks and krew installs: the plugin runs', () => {
    const [archive = '', written = ''] = writeArchive(projectDir, '1.2.3', path.join(temporary.dir, 'out'));
    expect(readFileSync(written, 'utf8')).toContain(createHash('sha256').update(readFileSync(archive)).digest('hex'));
    execFileSync('tar', ['-xzf', archive, '-C', temporary.dir]);
    const listed = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).trim().split('\n');
    expect(listed).toEqual(
      bundledFiles(projectDir)
        .map(({ name }) => name)
        .toSorted(),
    );
    expect(listed.filter((name) => name.endsWith('.map') || name.endsWith('.json'))).toEqual([]);
    const bundle = path.join(temporary.dir, 'reroll.mjs');
    expect(statSync(bundle).mode & 0o777).toBe(0o755);
    const plugin = path.join(temporary.dir, 'kubectl-reroll');
    symlinkSync(bundle, plugin);
    const { status, stdout } = spawnSync(plugin, ['why', '--help'], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringContaining('Usage: kubectl reroll why')]);
  });
});
