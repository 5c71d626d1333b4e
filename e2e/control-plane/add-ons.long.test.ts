import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  addOnDefinitionFiles,
  buildCertManager,
  buildRolloutsController,
  certManagerFile,
  fetchAddOnDefinitions,
  rolloutsControllerFile,
} from './add-ons';
import { type TemporaryDir, createTemporaryDir } from './temporary-dir';

/** The files of each Go module. */
const moduleFiles: Readonly<Record<string, readonly string[]>> = {
  'github.com/argoproj/argo-rollouts': [
    'rollout',
    'analysis-run',
    'analysis-template',
    'cluster-analysis-template',
    'experiment',
  ].map((name) => `manifests/crds/${name}-crd.yaml`),
  'sigs.k8s.io/secrets-store-csi-driver': ['secretproviderclasses', 'secretproviderclasspodstatuses'].map(
    (name) => `config/crd/bases/secrets-store.csi.x-k8s.io_${name}.yaml`,
  ),
  'github.com/prometheus-operator/prometheus-operator': ['podmonitors', 'prometheusrules', 'servicemonitors'].map(
    (name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
  ),
  'k8s.io/autoscaler/vertical-pod-autoscaler': ['deploy/vpa-v1-crd-gen.yaml'],
  'github.com/cert-manager/cert-manager': ['certificaterequests', 'certificates', 'clusterissuers', 'issuers'].map(
    (name) => `deploy/crds/cert-manager.io_${name}.yaml`,
  ),
};

/** A fake Go: creates the files of the requested module. */
const fakeGo = `#!/bin/sh
dir=\${0%/*}
command=$1 all=$*
for wanted; do :; done
case $wanted in
${Object.entries(moduleFiles)
  .map(([module, files]) => `${module}) files='${files.join(' ')}' ;;`)
  .join('\n')}
*) files= ;;
esac
for file in $files; do
  mkdir -p "$dir/modules/\${file%/*}"
  printf '/%s' "$file" >"$dir/modules/$file"
done
case $command in
mod) echo "{\\"Dir\\": \\"$dir/modules\\"}" ;;
build)
  while [ "$1" != -o ]; do shift; done
  printf '%s' "$all" >"$2"
  [ ! -e "$dir/fail" ] || exit 1
  ;;
esac
`;

let temporary: TemporaryDir;
let cacheDir: string;
let goCommand: string;

beforeEach(() => {
  temporary = createTemporaryDir();
  cacheDir = path.join(temporary.dir, 'cache');
  goCommand = path.join(temporary.dir, 'go');
  writeFileSync(goCommand, fakeGo, { mode: 0o755 });
});

afterEach(() => temporary.dispose());

it('takes every definition out of the module of its add-on, into a folder of its version', async () => {
  await fetchAddOnDefinitions({ cacheDir, goCommand });
  const files = addOnDefinitionFiles('workloads', cacheDir);
  expect(files).toHaveLength(7);
  expect(addOnDefinitionFiles('install', cacheDir)).toHaveLength(8);
  for (const file of files) expect(readFileSync(file, 'utf8')).toContain(path.basename(file));
  expect(files[0]).toMatch(/argo-rollouts-v1\.9\.2\/rollout-crd\.yaml$/);
});

it('fetches only what is missing, and needs no Go where nothing is', async () => {
  await fetchAddOnDefinitions({ cacheDir, goCommand });
  const [first = '', second = ''] = addOnDefinitionFiles('workloads', cacheDir);
  rmSync(first);
  writeFileSync(second, 'kept');
  await fetchAddOnDefinitions({ cacheDir, goCommand });
  expect([existsSync(first), readFileSync(second, 'utf8')]).toEqual([true, 'kept']);
  await fetchAddOnDefinitions({ cacheDir, goCommand: path.join(temporary.dir, 'no-such-go') });
});

it('says what is needed without Go', async () => {
  mkdirSync(cacheDir);
  const fetching = fetchAddOnDefinitions({ cacheDir, goCommand: path.join(temporary.dir, 'no-such-go') });
  await expect(fetching).rejects.toThrow('Go is needed to build the definitions of argo-rollouts');
});

it('builds the controller of Argo Rollouts within its module, once', async () => {
  await buildRolloutsController({ cacheDir, goCommand });
  const built = readFileSync(rolloutsControllerFile(cacheDir), 'utf8');
  expect(built).toContain(`build -C ${path.join(temporary.dir, 'modules')}`);
  expect(built).toContain('./cmd/rollouts-controller');
  await buildRolloutsController({ cacheDir, goCommand: path.join(temporary.dir, 'no-such-go') });
});

it('builds cert-manager from a main of ours, and anew when that changes', async () => {
  await buildCertManager({ cacheDir, goCommand });
  const file = certManagerFile(cacheDir);
  expect(path.basename(file)).toMatch(/^cert-manager-[0-9a-f]{8}$/);
  const built = readFileSync(file, 'utf8');
  expect(built.split(' ')).not.toContain('-C');
  expect(built.endsWith(' .')).toBe(true);
});

it('does not take a failed build of it as done', async () => {
  writeFileSync(path.join(temporary.dir, 'fail'), '');
  await expect(buildRolloutsController({ cacheDir, goCommand })).rejects.toThrow('go build in go/argo-rollouts');
  expect(existsSync(rolloutsControllerFile(cacheDir))).toBe(false);
});
