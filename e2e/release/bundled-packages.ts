import type { Metafile } from 'esbuild';

/** An entry of `packages` in package-lock.json. */
export interface LockEntry {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  /** Set if nothing that is shipped requires it. */
  readonly dev?: boolean;
  /** Set if development requires it, and what is shipped optionally does. */
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
}

/** The parts of npm's lock file that a release reads. */
export interface LockFile {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

/** A package with code in the bundle. */
export interface BundledPackage {
  /** Its folder, which is its key in the lock file. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  /** The SPDX expression that the package states. */
  readonly licence: string;
  /** The hash of the package that npm verified, in the form `sha512-BASE64`. */
  readonly integrity: string;
  /** The folders of the packages that it requires and that are in the bundle, too. */
  readonly requires: readonly string[];
}

const modules = 'node_modules/';

/**
 * The packages with code in the outputs of esbuild, sorted by folder. Files that were read but left out do not count.
 */
export function bundledPackages({ outputs }: Metafile, lock: LockFile): readonly BundledPackage[] {
  const inputs = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const folders = new Set(inputs.flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? folderOf(file) : [])));
  return [...folders].toSorted().map((folder) => {
    const entry = lock.packages[folder];
    if (entry?.version === undefined || entry.integrity === undefined) {
      throw new Error(`package-lock.json does not lock ${folder}, which is in the bundle`);
    }
    const name = nameOf(folder);
    const requires = requiredNames(entry).flatMap((required) => resolved(required, folder, lock) ?? []);
    return {
      ...{ folder, name, version: entry.version, integrity: entry.integrity },
      licence: entry.license ?? 'none stated',
      requires: requires.filter((required) => folders.has(required)).toSorted(),
    };
  });
}

/** Name of the package in a folder. */
export function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf(modules) + modules.length);
}

/** The folder of the package that a file belongs to; empty for our own files. */
function folderOf(file: string): readonly string[] {
  const start = file.lastIndexOf(modules);
  if (start < 0) return [];
  const [first = '', second = ''] = file.slice(start + modules.length).split('/');
  return [file.slice(0, start) + modules + (first.startsWith('@') ? `${first}/${second}` : first)];
}

/** The names of all packages that an entry of the lock file may require, including optional and peer dependencies. */
export function requiredNames(entry: LockEntry): readonly string[] {
  return Object.keys({ ...entry.peerDependencies, ...entry.optionalDependencies, ...entry.dependencies });
}

/** The folder in which Node finds a package required from `from`: the nearest one on the way up. */
export function resolved(name: string, from: string, lock: LockFile): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf(`/${modules}`)))) {
    const candidate = folder === '' ? modules + name : `${folder}/${modules}${name}`;
    if (candidate in lock.packages) return candidate;
    if (folder === '') return undefined;
  }
}
