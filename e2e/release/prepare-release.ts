import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { releasedVersions, unreleased, withRelease } from './changelog';
import { currentVersion } from './check-release';
import { compareVersions, isVersion } from './version';
import { setVersion } from './version-places';

/** The parameters of a release. */
export interface ReleaseRequest {
  readonly root: string;
  readonly version: string;
  /** YYYY-MM-DD. */
  readonly date: string;
}

/** The message says why a release is not prepared. */
export class ReleaseRefused extends Error {}

/**
 * Sets the version everywhere and dates the changelog. It commits nothing, and the caller has to generate files again.
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
  // The current version may be released if it has not been yet: this is the first release.
  const current = currentVersion(root);
  if (compareVersions(version, current) < 0) return `${version} is lower than ${current}, which package.json says`;
  const released = releasedVersions(changelog).find((earlier) => compareVersions(version, earlier) <= 0);
  if (released !== undefined) return `${version} is not higher than ${released}, which was released`;
  if (!unreleased(changelog)) return 'CHANGELOG.md tells of nothing under "## Unreleased"';
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).trim();
  return changes === '' ? undefined : `there are changes that are not committed:\n${changes}`;
}
