import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { releasedVersions, unreleased, withRelease } from './changelog';
import { currentVersion } from './check-release';
import { compareVersions, isVersion } from './version';
import { setVersion } from './version-places';

/** What a release is asked for with. */
export interface ReleaseRequest {
  readonly root: string;
  readonly version: string;
  /** YYYY-MM-DD. */
  readonly date: string;
}

/** Says why a release is not prepared. */
export class ReleaseRefused extends Error {}

/**
 * Puts the version everywhere and dates the changelog; commits nothing, and leaves it to the caller to generate anew.
 *
 * @throws ReleaseRefused before anything is written.
 */
export function prepareRelease({ root, version, date }: ReleaseRequest): void {
  const file = path.join(root, 'CHANGELOG.md');
  const changelog = readFileSync(file, 'utf8');
  const reason = refusal(root, version, changelog);
  if (reason !== undefined) throw new ReleaseRefused(reason);
  setVersion(root, version);
  writeFileSync(file, withRelease(changelog, version, date));
}

function refusal(root: string, version: string, changelog: string): string | undefined {
  if (!isVersion(version)) return `"${version}" is no version such as 1.2.3 or 1.2.3-rc.1`;
  // What the project already says may be released if it has not been: the first release.
  const current = currentVersion(root);
  if (compareVersions(version, current) < 0) return `${version} is lower than ${current}, which package.json says`;
  const released = releasedVersions(changelog).find((earlier) => compareVersions(version, earlier) <= 0);
  if (released !== undefined) return `${version} is not higher than ${released}, which was released`;
  if (!unreleased(changelog)) return 'CHANGELOG.md tells of nothing under "## Unreleased"';
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).trim();
  return changes === '' ? undefined : `there are changes that are not committed:\n${changes}`;
}
