import { markdownTable } from '../reference/markdown-table';
import { nameOf, type BundledPackage, type LockFile } from './bundled-packages';

/** A package that is installed for what is shipped, whether it is bundled or left out. */
export interface ProductionPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** npm runs a script of the package when it installs it. */
  readonly hasInstallScript: boolean;
}

/** All packages that `npm ci --omit=dev` may install, each version once, sorted by name. */
export function productionPackages(lock: LockFile): readonly ProductionPackage[] {
  const packages = Object.entries(lock.packages).flatMap(([folder, entry]) =>
    folder === '' || entry.dev === true
      ? []
      : {
          name: nameOf(folder),
          version: entry.version ?? 'no version',
          licence: entry.license ?? 'none stated',
          hasInstallScript: entry.hasInstallScript === true,
        },
  );
  const byName = new Map(packages.map((each) => [`${each.name}@${each.version}`, each]));
  return [...byName.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** The problems with packages that run an install script; empty if there are none. */
export function installScriptProblems(lock: LockFile): readonly string[] {
  return productionPackages(lock)
    .filter(({ hasInstallScript }) => hasInstallScript)
    .map(
      ({ name, version }) =>
        `${name} ${version} runs a script when it is installed: whoever takes the package over runs theirs wherever ` +
        'Reroll is built, before anybody has read it. Take a version without one, or another package',
    );
}

const head = `# Dependencies

Generated: \`npm run release -- --generate\` writes this page.

This page lists all packages that a build installs for the shipped files, from \`package-lock.json\`, with the licence that each
package states. None of them runs a script when it is installed: \`npm run release -- --check\` refuses one that does. The image
contains only the bundled ones. \`deploy/sbom.cdx.json\` has their hashes, and \`deploy/third-party-licences.txt\` their licences.
How they are kept up to date and scanned: [releasing.md](../releasing.md#dependencies).
`;

/** The text of docs/reference/dependencies.md. */
export function dependenciesPage(lock: LockFile, bundled: readonly BundledPackage[]): string {
  const inBundle = new Set(bundled.map(({ name, version }) => `${name}@${version}`));
  const rows = productionPackages(lock).map(({ name, version, licence }) => [
    name,
    version,
    licence,
    inBundle.has(`${name}@${version}`) ? 'yes' : 'no',
  ]);
  return `${head}\n${markdownTable(['package', 'version', 'licence', 'bundled'], rows)}`;
}
