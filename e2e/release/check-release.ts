import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { releasedVersions, releaseNotes, unreleased } from './changelog';
import { generatedFiles, lockFile, packagesInBundle } from './generated-files';
import { krewProblemsOf } from './krew-manifest';
import { isAllowed } from './licences';
import { installScriptProblems } from './production-packages';
import { statedVersions } from './version-places';

/** A check of a release. Each problem is a sentence. */
export interface ReleaseCheck {
  readonly name: string;
  problems(root: string): readonly string[] | Promise<readonly string[]>;
}

/** The current version of the project, from package.json. */
export function currentVersion(root: string): string {
  return (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }).version;
}

const changelogOf = (root: string): string => readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');

/** The notes of the changelog on the current version, even if it is not released yet. */
export function notesOf(root: string): string {
  const changelog = changelogOf(root);
  return releaseNotes(changelog, currentVersion(root)) ?? unreleased(changelog) ?? '';
}

/** The checks that only need the files of the project and the bundle. */
export const fileChecks: readonly ReleaseCheck[] = [
  {
    name: 'one version everywhere',
    problems: (root) => {
      const expected = currentVersion(root);
      return statedVersions(root)
        .filter(({ version }) => version !== expected)
        .map(({ place, version = 'nothing' }) => `${place} says ${version}, and package.json says ${expected}`);
    },
  },
  {
    name: 'the changelog tells of it',
    problems: (root) => {
      const [changelog, version] = [changelogOf(root), currentVersion(root)];
      const told = releasedVersions(changelog).includes(version) || unreleased(changelog) !== undefined;
      return told ? [] : [`CHANGELOG.md has neither "## ${version} - DATE" nor "## Unreleased"`];
    },
  },
  {
    name: 'licences of what is bundled',
    problems: (root) =>
      packagesInBundle(root)
        .filter(({ licence }) => !isAllowed(licence))
        .map(({ name, version, licence }) => `${name} ${version} is bundled, and its licence is ${licence}`),
  },
  { name: 'no install scripts in what is shipped', problems: (root) => installScriptProblems(lockFile(root)) },
  { name: 'the manifest for krew', problems: (root) => krewProblemsOf(root, currentVersion(root)) },
  {
    name: 'generated files',
    problems: (root) =>
      generatedFiles(root)
        .filter(
          ({ file, text }) =>
            !existsSync(path.join(root, file)) || readFileSync(path.join(root, file), 'utf8') !== text,
        )
        .map(({ file }) => `${file} is out of date: npm run release -- --generate`),
  },
];

/** Checks that the tag names the current version, and that the changelog has a dated section for it. */
export function tagCheck(tag: string): ReleaseCheck {
  return {
    name: `tag ${tag}`,
    problems: (root) => {
      const version = currentVersion(root);
      return [
        ...(tag === `v${version}` ? [] : [`the tag is ${tag}, and the version of package.json would be v${version}`]),
        ...(releasedVersions(changelogOf(root)).includes(version)
          ? []
          : [`CHANGELOG.md has no "## ${version} - DATE"`]),
      ];
    },
  };
}
