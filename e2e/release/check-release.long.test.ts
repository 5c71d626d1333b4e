import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { projectDir } from '../control-plane/versions';
import { fileChecks, notesOf, tagCheck } from './check-release';
import { generatedFiles } from './generated-files';
import { Project } from './project.fixture';

const problemsOf = async (name: string, root: string): Promise<readonly string[]> =>
  await fileChecks.find((check) => check.name === name)!.problems(root);

describe('this project', () => {
  it.each(fileChecks.map(({ name }) => name))('%s', async (name) => {
    expect(await problemsOf(name, projectDir)).toEqual([]);
  });
});

describe('npm run release -- --check', () => {
  let project: Project;

  beforeEach(() => {
    project = new Project();
    const bundled = { 'main.ts': { bytesInOutput: 1 }, 'node_modules/other/index.js': { bytesInOutput: 1 } };
    project.write('dist/reroll.meta.json', JSON.stringify({ outputs: { 'dist/reroll.mjs': { inputs: bundled } } }));
    project.write('node_modules/other/LICENSE', 'Do as you like.\r\n');
    for (const file of ['dist/reroll.mjs', 'dist/parts/a.mjs', 'LICENSE']) project.write(file, file);
    project.write('deploy/krew/reroll.yaml', readFileSync(path.join(projectDir, 'deploy/krew/reroll.yaml'), 'utf8'));
    project.edit('package-lock.json', '"version": "0.2.0"\n    }\n  }', lockedOther);
    for (const { file, text } of generatedFiles(project.root)) project.write(file, text);
  });

  afterEach(() => project.dispose());

  const lockedOther = '"version": "0.2.0",\n      "license": "MIT",\n      "integrity": "sha512-AAAA"\n    }\n  }';

  it('finds nothing where all is well', async () => {
    for (const { name } of fileChecks) expect([name, await problemsOf(name, project.root)]).toEqual([name, []]);
  });

  it.each([
    ['package-lock.json', '"version": "0.2.0"', '"version": "0.1.0"', 'package-lock.json: version says 0.1.0'],
    [
      ...['package-lock.json', '"reroll",\n      "version": "0.2.0"', '"reroll",\n      "version": "0.1.0"'],
      'package-lock.json: version of packages[""] says 0.1.0',
    ],
    [
      ...['deploy/chart/reroll/Chart.yaml', '\nversion: 0.2.0', '\nversion: 0.1.0'],
      'deploy/chart/reroll/Chart.yaml: version says 0.1.0',
    ],
    [
      ...['deploy/chart/reroll/Chart.yaml', '\nappVersion: 0.2.0', ''],
      'deploy/chart/reroll/Chart.yaml: appVersion says nothing',
    ],
    ['README.md', 'reroll:0.2.0', 'reroll:0.1.0', 'README.md: ghcr.io/reroll/reroll:0.1.0 says 0.1.0'],
    [
      ...['docs/install.md', '--version 0.2.0', '--version 0.1.0'],
      'docs/install.md: /charts/reroll --version 0.1.0 says 0.1.0',
    ],
  ] as [string, string, string, string][])(
    'names the place of another version: %s',
    async (file, from, to, problem) => {
      project.edit(file, from, to);
      expect(await problemsOf('one version everywhere', project.root)).toEqual([
        `${problem}, and package.json says 0.2.0`,
      ]);
    },
  );

  it('misses a changelog that tells of nothing', async () => {
    project.write('CHANGELOG.md', '# Changelog\n\n## 0.1.0 - 2026-10-01\n\n- Some.\n');
    expect(await problemsOf('the changelog tells of it', project.root)).toEqual([
      'CHANGELOG.md has neither "## 0.2.0 - DATE" nor "## Unreleased"',
    ]);
  });

  it.each(['GPL-3.0', '(AGPL-3.0 OR GPL-2.0)', 'MIT AND GPL-2.0'])('names a package under %s', async (licence) => {
    project.edit('package-lock.json', '"MIT"', `"${licence}"`);
    expect(await problemsOf('licences of what is bundled', project.root)).toEqual([
      `other 0.2.0 is bundled, and its licence is ${licence}`,
    ]);
  });

  it('takes the choice that a package gives', async () => {
    project.edit('package-lock.json', '"MIT"', '"(BSD-3-Clause OR GPL-2.0)"');
    expect(await problemsOf('licences of what is bundled', project.root)).toEqual([]);
  });

  it('names a package that would run a script when it is installed', async () => {
    project.edit('package-lock.json', '"license": "MIT"', '"license": "MIT",\n      "hasInstallScript": true');
    expect(await problemsOf('no install scripts in what is shipped', project.root)).toEqual([
      expect.stringContaining('other 0.2.0 runs a script when it is installed'),
    ]);
  });

  it.each([
    'deploy/sbom.cdx.json',
    'deploy/third-party-licences.txt',
    'deploy/webhook.yaml',
    'docs/reference/dependencies.md',
  ])('names %s where it is out of date', async (file) => {
    project.write(file, `${project.read(file)} `);
    expect(await problemsOf('generated files', project.root)).toEqual([
      `${file} is out of date: npm run release -- --generate`,
    ]);
  });

  it('names what is wrong with the manifest for krew', async () => {
    project.edit(
      'deploy/krew/reroll.yaml',
      'shortDescription: Say',
      'shortDescription: Say it in more than fifty characters,',
    );
    expect(await problemsOf('the manifest for krew', project.root)).toEqual([
      expect.stringMatching(/^deploy\/krew\/reroll\.yaml: spec\.shortDescription: Too big/),
    ]);
  });

  it('finds the notes of the version, or of what is still to be released', () => {
    expect(notesOf(project.root)).toBe('- Some.');
    project.edit('CHANGELOG.md', '## 0.2.0 - 2026-10-01', '## 0.1.0 - 2026-10-01');
    expect(notesOf(project.root)).toBe('### Added\n\n- More.');
  });

  it('compares a tag with the version and the changelog', async () => {
    expect(await tagCheck('v0.2.0').problems(project.root)).toEqual([]);
    project.edit('CHANGELOG.md', '## 0.2.0 - 2026-10-01', '## 0.1.0 - 2026-10-01');
    expect(await tagCheck('0.2.0').problems(project.root)).toEqual([
      'the tag is 0.2.0, and the version of package.json would be v0.2.0',
      'CHANGELOG.md has no "## 0.2.0 - DATE"',
    ]);
  });
});
