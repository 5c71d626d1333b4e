import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A place in a file that contains the version of the project. */
interface VersionPlace {
  readonly file: string;
  readonly what: string;
  /** The second group is the version; the first one is kept. */
  readonly pattern: RegExp;
}

/** A place, and the version there; undefined if the place does not exist. */
export interface StatedVersion {
  readonly place: string;
  readonly version: string | undefined;
}

const places: readonly VersionPlace[] = [
  { file: 'package.json', what: 'version', pattern: /(^ {2}"version": ")([^"]*)/m },
  { file: 'package-lock.json', what: 'version', pattern: /(^ {2}"version": ")([^"]*)/m },
  {
    file: 'package-lock.json',
    what: 'version of packages[""]',
    pattern: /(^ {4}"": \{\n {6}"name": "[^"]*",\n {6}"version": ")([^"]*)/m,
  },
  ...['deploy/chart/reroll/Chart.yaml', 'deploy/deckhouse/Chart.yaml'].flatMap((file) => [
    { file, what: 'version', pattern: /(^version: ['"]?)([^'"\s]*)/m },
    { file, what: 'appVersion', pattern: /(^appVersion: ['"]?)([^'"\s]*)/m },
  ]),
];

/** Versions in prose: a tag of our image, a version of our chart. A placeholder such as VERSION does not match. */
const inProse = /(ghcr\.io\/reroll\/reroll:|\/charts\/reroll(?: |:)(?:--version[ =])?)(\d+\.\d+\.\d+(?:-[\w.-]*\w)?)/g;

/** README and docs, but not the changelog. */
function pages(root: string): readonly string[] {
  const docs = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  return ['README.md', ...docs.filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`)];
}

const textOf = (root: string, file: string): string => readFileSync(path.join(root, file), 'utf8');

/** All versions that the project states, with their places. */
export function statedVersions(root: string): readonly StatedVersion[] {
  return [
    ...places.map(({ file, what, pattern }) => ({
      place: `${file}: ${what}`,
      version: pattern.exec(textOf(root, file))?.[2],
    })),
    ...pages(root).flatMap((file) =>
      [...textOf(root, file).matchAll(inProse)].map(([whole, , version]) => ({ place: `${file}: ${whole}`, version })),
    ),
  ];
}

/** Sets the version at all of these places. */
export function setVersion(root: string, version: string): void {
  const put = (file: string, pattern: RegExp): void => {
    const text = textOf(root, file);
    const changed = text.replace(pattern, (_whole, before: string) => before + version);
    if (changed !== text) writeFileSync(path.join(root, file), changed);
  };
  for (const { file, pattern } of places) put(file, pattern);
  for (const file of pages(root)) put(file, inProse);
}
