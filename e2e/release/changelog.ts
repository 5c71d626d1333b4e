/** What has been released says the changelog, newest first. */

const heading = /^## (\S+) - \d{4}-\d\d-\d\d$/gm;
const unreleasedHeading = '## Unreleased';

/** The versions that have a date. */
export function releasedVersions(changelog: string): readonly string[] {
  return [...changelog.matchAll(heading)].map(([, version]) => version ?? '');
}

/** What is told of the next release; undefined where there is no place for it. */
export function unreleased(changelog: string): string | undefined {
  const [, after] = changelog.split(`\n${unreleasedHeading}\n`);
  return after?.split('\n## ')[0]?.trim();
}

/** What is told of a version; undefined where it was never released. */
export function releaseNotes(changelog: string, version: string): string | undefined {
  const [, after] = changelog.split(`\n## ${version} - `);
  // Behind the date.
  return after?.split('\n## ')[0]?.split('\n').slice(1).join('\n').trim();
}

/** With the next release named and dated, and a place for the one after it. */
export function withRelease(changelog: string, version: string, date: string): string {
  return changelog.replace(`\n${unreleasedHeading}\n`, `\n${unreleasedHeading}\n\n## ${version} - ${date}\n`);
}
