import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { buildOnceWithinModule, goModuleDir, requireGo } from './go-command';
import { goModulesDir, pinnedVersion, projectDir } from './versions';

/** Why an add-on's kinds are needed: as workloads and sources, or beside an install of Reroll. */
export type AddOnUse = 'workloads' | 'install';

/** An add-on whose kinds are tested. Its CustomResourceDefinitions come with its Go module. */
interface AddOn {
  readonly use: AddOnUse;
  /** The folder of our Go module that pins the version. */
  readonly folder: string;
  readonly modulePath: string;
  readonly files: readonly string[];
}

const csi = 'config/crd/bases/secrets-store.csi.x-k8s.io';

const argoRollouts: AddOn = {
  use: 'workloads',
  folder: 'argo-rollouts',
  modulePath: 'github.com/argoproj/argo-rollouts',
  files: ['rollout', 'analysis-run', 'analysis-template', 'cluster-analysis-template', 'experiment'].map(
    (name) => `manifests/crds/${name}-crd.yaml`,
  ),
};

const certManager: AddOn = {
  use: 'install',
  folder: 'cert-manager',
  modulePath: 'github.com/cert-manager/cert-manager',
  files: ['certificaterequests', 'certificates', 'clusterissuers', 'issuers'].map(
    (plural) => `deploy/crds/cert-manager.io_${plural}.yaml`,
  ),
};

const addOns: readonly AddOn[] = [
  argoRollouts,
  {
    use: 'workloads',
    folder: 'secrets-store-csi-driver',
    modulePath: 'sigs.k8s.io/secrets-store-csi-driver',
    files: [`${csi}_secretproviderclasses.yaml`, `${csi}_secretproviderclasspodstatuses.yaml`],
  },
  {
    use: 'install',
    folder: 'prometheus-operator',
    modulePath: 'github.com/prometheus-operator/prometheus-operator',
    files: ['podmonitors', 'prometheusrules', 'servicemonitors'].map(
      (plural) => `example/prometheus-operator-crd/monitoring.coreos.com_${plural}.yaml`,
    ),
  },
  {
    use: 'install',
    folder: 'vertical-pod-autoscaler',
    modulePath: 'k8s.io/autoscaler/vertical-pod-autoscaler',
    files: ['deploy/vpa-v1-crd-gen.yaml'],
  },
  certManager,
];

/** Options for fetching; everything has a default. */
export interface FetchOptions {
  readonly cacheDir?: string;
  readonly goCommand?: string;
  readonly print?: (line: string) => void;
}

/** The files of the real definitions, one per definition; they exist once `npm run e2e` has fetched them. */
export function addOnDefinitionFiles(use: AddOnUse, cacheDir = defaultCacheDir): readonly string[] {
  const wanted = addOns.filter((addOn) => addOn.use === use);
  return wanted.flatMap((addOn) => addOn.files.map((file) => path.join(dirOf(addOn, cacheDir), path.basename(file))));
}

/** Copies missing definitions from the modules, so that a later run needs neither Go nor its module cache. */
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

/** The real controller of Argo Rollouts; it exists once `npm run e2e` has built it. */
export function rolloutsControllerFile(cacheDir = defaultCacheDir): string {
  return path.join(dirOf(argoRollouts, cacheDir), 'rollouts-controller');
}

/** Builds it inside its own module, because the module's replacements of other modules apply only there. */
export async function buildRolloutsController({ cacheDir, ...options }: FetchOptions = {}): Promise<void> {
  const program = { ...argoRollouts, mainPackage: './cmd/rollouts-controller' };
  await buildOnceWithinModule(program, rolloutsControllerFile(cacheDir), options);
}

/** The real controllers and cainjector of cert-manager, with our main; exists once `npm run e2e` has built it. */
export function certManagerFile(cacheDir = defaultCacheDir): string {
  const main = readFileSync(path.join(goModulesDir, certManager.folder, 'main.go'));
  const version = createHash('sha256').update(main).digest('hex').slice(0, 8);
  return path.join(dirOf(certManager, cacheDir), `cert-manager-${version}`);
}

/** Builds cert-manager, unless it is built already. */
export async function buildCertManager({ cacheDir, ...options }: FetchOptions = {}): Promise<void> {
  const program = { ...certManager, mainPackage: '.', isOurs: true };
  await buildOnceWithinModule(program, certManagerFile(cacheDir), options);
}

const defaultCacheDir = path.join(projectDir, '.cache', 'add-ons');

function dirOf({ folder, modulePath }: AddOn, cacheDir: string): string {
  return path.join(cacheDir, `${folder}-${pinnedVersion(folder, modulePath)}`);
}
