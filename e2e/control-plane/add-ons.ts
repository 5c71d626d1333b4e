import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { goModuleDir, requireGo, runGo } from './go-command';
import { goModulesDir, projectDir, requiredVersion } from './versions';

/** An add-on whose kinds are tried: its CustomResourceDefinitions come with its Go module. */
interface AddOn {
  /** The module of ours that pins its version. */
  readonly folder: string;
  readonly modulePath: string;
  readonly files: readonly string[];
}

const csi = 'config/crd/bases/secrets-store.csi.x-k8s.io';

const argoRollouts: AddOn = {
  folder: 'argo-rollouts',
  modulePath: 'github.com/argoproj/argo-rollouts',
  files: ['rollout', 'analysis-run', 'analysis-template', 'cluster-analysis-template', 'experiment'].map(
    (name) => `manifests/crds/${name}-crd.yaml`,
  ),
};

const addOns: readonly AddOn[] = [
  argoRollouts,
  {
    folder: 'secrets-store-csi-driver',
    modulePath: 'sigs.k8s.io/secrets-store-csi-driver',
    files: [`${csi}_secretproviderclasses.yaml`, `${csi}_secretproviderclasspodstatuses.yaml`],
  },
];

/** What fetching may be told; everything has a default. */
export interface FetchOptions {
  readonly cacheDir?: string;
  readonly goCommand?: string;
  readonly print?: (line: string) => void;
}

/** The real definitions of the add-ons, one file each; they are there once `npm run e2e` has fetched them. */
export function addOnDefinitionFiles(cacheDir = defaultCacheDir): readonly string[] {
  return addOns.flatMap((addOn) => addOn.files.map((file) => path.join(dirOf(addOn, cacheDir), path.basename(file))));
}

/** Copies what is missing out of the modules, so that a later run needs neither Go nor its module cache. */
export async function fetchAddOnDefinitions(options: FetchOptions = {}): Promise<void> {
  const { cacheDir = defaultCacheDir, goCommand = 'go', print = () => undefined } = options;
  for (const addOn of addOns) {
    const dir = dirOf(addOn, cacheDir);
    const missing = addOn.files.filter((file) => !existsSync(path.join(dir, path.basename(file))));
    if (missing.length === 0) continue;
    requireGo(goCommand, [`the definitions of ${addOn.folder}`]);
    const moduleDir = await goModuleDir(goCommand, addOn.folder, addOn.modulePath);
    await mkdir(dir, { recursive: true });
    for (const file of missing) await copyFile(path.join(moduleDir, file), path.join(dir, path.basename(file)));
    print(`control plane: copied the definitions of ${addOn.folder}`);
  }
}

/** The real controller of Argo Rollouts; it is there once `npm run e2e` has built it. */
export function rolloutsControllerFile(cacheDir = defaultCacheDir): string {
  return path.join(dirOf(argoRollouts, cacheDir), 'rollouts-controller');
}

/** Builds it within its own module, whose replacements of other modules hold nowhere else. */
export async function buildRolloutsController(options: FetchOptions = {}): Promise<void> {
  const { cacheDir = defaultCacheDir, goCommand = 'go', print = () => undefined } = options;
  const file = rolloutsControllerFile(cacheDir);
  if (existsSync(file)) return;
  requireGo(goCommand, ['the controller of Argo Rollouts']);
  print('control plane: building rollouts-controller');
  const moduleDir = await goModuleDir(goCommand, argoRollouts.folder, argoRollouts.modulePath);
  const hermetic = ['-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags', '-s -w'];
  const unfinished = `${file}.building-${process.pid}`;
  await mkdir(path.dirname(file), { recursive: true });
  await runGo(goCommand, argoRollouts.folder, [
    ...['build', '-C', moduleDir, ...hermetic, '-o', unfinished, './cmd/rollouts-controller'],
  ]);
  // A rename is all or nothing, so an interrupted build leaves no half-written program under the real name.
  await rename(unfinished, file);
}

const defaultCacheDir = path.join(projectDir, '.cache', 'add-ons');

function dirOf({ folder, modulePath }: AddOn, cacheDir: string): string {
  const goMod = readFileSync(path.join(goModulesDir, folder, 'go.mod'), 'utf8');
  return path.join(cacheDir, `${folder}-${requiredVersion(goMod, modulePath)}`);
}
