import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Versions of the three Go modules that the control plane is built from, each with a leading `v`. */
export interface ControlPlaneVersions {
  readonly kubernetes: string;
  readonly etcd: string;
  readonly kwok: string;
}

/** The folder of the project, independent of where the process was started. */
export const projectDir = path.resolve(__dirname, '..', '..');

/** The folder that holds one Go module per group of binaries; separate modules, because their dependencies conflict. */
export const goModulesDir = path.join(__dirname, 'go');

/**
 * Reads the pinned version of a module from the text of a `go.mod` file.
 *
 * @throws Error when the file does not require the module.
 */
export function requiredVersion(goMod: string, modulePath: string): string {
  for (const line of goMod.split('\n')) {
    const words = line
      .replace(/\/\/.*$/, '')
      .replace(/^require\s/, '')
      .trim()
      .split(/\s+/);
    const [name, version] = words;
    if (words.length === 2 && name === modulePath && version !== undefined) return version;
  }
  throw new Error(`go.mod does not require ${modulePath}`);
}

/** The version that one of our Go modules pins. Versions are written only in the committed `go.mod` files. */
export function pinnedVersion(folder: string, modulePath: string): string {
  return requiredVersion(readFileSync(path.join(goModulesDir, folder, 'go.mod'), 'utf8'), modulePath);
}

/** The pinned versions of the control plane's programs. */
export function pinnedVersions(): ControlPlaneVersions {
  return {
    kubernetes: pinnedVersion('kubernetes', 'k8s.io/kubernetes'),
    etcd: pinnedVersion('etcd', 'go.etcd.io/etcd/server/v3'),
    kwok: pinnedVersion('kwok', 'sigs.k8s.io/kwok'),
  };
}
