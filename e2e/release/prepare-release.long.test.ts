import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { prepareRelease, ReleaseRefused } from './prepare-release';
import { Project } from './project.fixture';
import { statedVersions } from './version-places';

let project: Project;

beforeEach(() => {
  project = new Project();
  project.commit();
});

afterEach(() => project.dispose());

function prepare(version: string): void {
  prepareRelease({ root: project.root, version, date: '2026-11-22' });
}

describe('npm run release -- VERSION', () => {
  it('puts the version everywhere where it stands, and nowhere else', () => {
    prepare('0.3.0');
    expect(statedVersions(project.root).map(({ version }) => version)).toEqual(Array(9).fill('0.3.0'));
    expect(project.read('package-lock.json')).toContain('"node_modules/other": {\n      "version": "0.2.0"');
    expect(project.read('docs/install.md')).toContain('--version 0.3.0\nReloader 1.4.20\n');
    expect(project.read('README.md')).toContain('reroll:0.3.0 or ghcr.io/reroll/reroll:VERSION');
  });

  it('dates the changelog, and leaves a place for what comes next', () => {
    prepare('0.3.0-rc.1');
    expect(project.read('CHANGELOG.md')).toBe(
      '# Changelog\n\n## Unreleased\n\n## 0.3.0-rc.1 - 2026-11-22\n\n### Added\n\n- More.\n\n## 0.2.0 - 2026-10-01\n\n- Some.\n',
    );
  });

  it('takes the version that the project already says, where it was not released', () => {
    project.edit('CHANGELOG.md', '## 0.2.0 - 2026-10-01', '## 0.1.0 - 2026-10-01');
    project.commit();
    prepare('0.2.0');
    expect(project.read('CHANGELOG.md')).toContain('## 0.2.0 - 2026-11-22');
  });

  describe('refuses, and writes nothing', () => {
    const refused = (version: string, reason: string): void => {
      const before = project.read('CHANGELOG.md');
      expect(() => prepare(version)).toThrow(new ReleaseRefused(reason));
      expect([project.read('CHANGELOG.md'), project.read('package.json').includes('0.2.0')]).toEqual([before, true]);
    };

    it('what is no version', () => {
      refused('v0.3.0', '"v0.3.0" is no version such as 1.2.3 or 1.2.3-rc.1');
    });

    it('a version that is lower than the project’s', () => {
      refused('0.1.9', '0.1.9 is lower than 0.2.0, which package.json says');
    });

    it.each(['0.2.0', '0.3.0-rc.1', '0.3.0'])(
      'a version that is not higher than all that was released: %s',
      (version) => {
        project.edit('CHANGELOG.md', '## 0.2.0 - 2026-10-01', '## 0.3.0 - 2026-10-02\n\n## 0.2.0 - 2026-10-01');
        project.commit();
        refused(version, `${version} is not higher than 0.3.0, which was released`);
      },
    );

    it('what nothing is told of', () => {
      project.edit('CHANGELOG.md', '\n### Added\n\n- More.\n', '');
      project.commit();
      refused('0.3.0', 'CHANGELOG.md tells of nothing under "## Unreleased"');
    });

    it.each([
      ['an edit', 'README.md', ' M README.md'],
      ['a file', 'new.ts', '?? new.ts'],
    ])('%s that is not committed', (_what, file, line) => {
      project.write(file, 'changed');
      refused('0.3.0', `there are changes that are not committed:\n${line.trim()}`);
    });
  });
});
