/** Reads and edits the changelog, which lists what has been released, newest first. */

const heading = /^## (\S+) - \d{4}-\d\d-\d\d$/gm;
const unreleasedHeading = '## Unreleased';

/** The versions that have a date, newest first. */
export function releasedVersions(changelog: string): readonly string[] {
  return [...changelog.matchAll(heading)].map(([, version]) => version ?? '');
}

/** The notes on the next release; undefined if there is no section for it. */
export function unreleased(changelog: string): string | undefined {
  const [, after] = changelog.split(`\n${unreleasedHeading}\n`);
  return after?.split('\n## ')[0]?.trim();
}

/** The notes on a version; undefined if it was never released. */
export function releaseNotes(changelog: string, version: string): string | undefined {
  const [, after] = changelog.split(`\n## ${version} - `);
  // The first line is the rest of the heading: the date.
  return after?.split('\n## ')[0]?.split('\n').slice(1).join('\n').trim();
}

/** The changelog with the next release named and dated, and a new section for the one after it. */
export function withRelease(changelog: string, version: string, date: string): string {
  return changelog.replace(`\n${unreleasedHeading}\n`, `\n${unreleasedHeading}\n\n## ${version} - ${date}\n`);
}
