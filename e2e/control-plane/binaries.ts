import { existsSync } from 'node:fs';
import path from 'node:path';
import { type ControlPlaneVersions, pinnedVersions, projectDir } from './versions';

/** Every program that the control plane needs. */
export const binaryNames = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kwok',
] as const;

export type BinaryName = (typeof binaryNames)[number];

/** Absolute path of each program. */
export type BinaryPaths = Readonly<Record<BinaryName, string>>;

/** KWOK's own stages (its description of how a fake kubelet behaves), by file name in the cache. */
export const kwokStageFiles = {
  'node-initialize.yaml': 'kustomize/stage/node/fast/node-initialize.yaml',
  'node-heartbeat-with-lease.yaml': 'kustomize/stage/node/heartbeat-with-lease/node-heartbeat-with-lease.yaml',
  'pod-ready.yaml': 'kustomize/stage/pod/fast/pod-ready.yaml',
  'pod-complete.yaml': 'kustomize/stage/pod/fast/pod-complete.yaml',
  'pod-delete.yaml': 'kustomize/stage/pod/fast/pod-delete.yaml',
} as const;

/** The folders that are searched for binaries; both have defaults, and tests pass their own. */
export interface BinarySources {
  /** Folder of ready-made binaries, as `setup-envtest` prepares it. Defaults to `KUBEBUILDER_ASSETS`. */
  readonly assetsDir?: string | undefined;
  /** Folder of the binaries that were built here. Defaults to `cacheDir()`. */
  readonly cacheDir?: string;
}

/** The files that a start needs. */
export interface LocatedBinaries {
  readonly binaries: BinaryPaths;
  readonly stages: readonly string[];
}

/** The git-ignored folder for built binaries. Its name has the versions, so an upgrade never uses old files. */
export function cacheDir(versions: ControlPlaneVersions = pinnedVersions()): string {
  const key = [
    `kubernetes-${versions.kubernetes}`,
    `etcd-${versions.etcd}`,
    `kwok-${versions.kwok}`,
    `${process.platform}-${process.arch}`,
  ].join('_');
  return path.join(projectDir, '.cache', 'control-plane', key);
}

/** The ready-made folder that the environment names, if any. */
export function assetsDirOf(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const dir = env['KUBEBUILDER_ASSETS'];
  return dir === undefined || dir === '' ? undefined : path.resolve(dir);
}

/** Path of one binary, preferring the ready-made one; undefined when it is in neither place. */
export function findBinary(name: BinaryName, sources: BinarySources = {}): string | undefined {
  const assetsDir = 'assetsDir' in sources ? sources.assetsDir : assetsDirOf();
  const candidates = [assetsDir, sources.cacheDir ?? cacheDir()].filter((dir) => dir !== undefined);
  return candidates.map((dir) => path.join(dir, name)).find((file) => existsSync(file));
}

/** Path of KWOK's stages in the cache. */
export function stagesDirOf(sources: BinarySources = {}): string {
  return path.join(sources.cacheDir ?? cacheDir(), 'stages');
}

/**
 * Finds everything that a start needs.
 *
 * @throws Error that names what is missing and the command that builds it. This function does not build: that takes
 * minutes, which exceeds the deadlines of callers.
 */
export function locateBinaries(sources: BinarySources = {}): LocatedBinaries {
  const missing: string[] = [];
  const locate = (name: BinaryName): string => {
    const file = findBinary(name, sources);
    if (file === undefined) missing.push(name);
    return file ?? '';
  };
  const binaries: BinaryPaths = {
    etcd: locate('etcd'),
    'kube-apiserver': locate('kube-apiserver'),
    'kube-controller-manager': locate('kube-controller-manager'),
    'kube-scheduler': locate('kube-scheduler'),
    kubectl: locate('kubectl'),
    kwok: locate('kwok'),
  };
  const stages = Object.keys(kwokStageFiles).map((file) => path.join(stagesDirOf(sources), file));
  if (stages.some((file) => !existsSync(file))) missing.push('KWOK stages');
  if (missing.length > 0) {
    throw new Error(
      `The control plane is not built yet: no ${missing.join(', ')}. Run: npx tsx e2e/control-plane/build.ts`,
    );
  }
  return { binaries, stages };
}
