import { isObject } from '../../shared/domain/kubernetes/json-value';
import { kustomization, kustomizeFiles, manifestsText } from './kustomize-files';
import { renderChart, type Manifest, type RenderOptions, type Values } from './rendered-chart';

const head = '# Generated: npm run release -- --generate\n';

/** Variants of an install without Helm: by name, with the chart values that render them. */
export const variants: Readonly<Record<string, Values>> = {
  'cert-manager': { certificates: { mode: 'certManager' } },
  'without-webhook': { webhook: { enabled: false } },
  'own-namespace-only': { reloader: { watchGlobally: false } },
  'high-availability': { reloader: { deployment: { replicas: 2 }, podDisruptionBudget: { enabled: true } } },
};

/** Labels of a Helm release, which does not exist here. */
const ofHelm = ['app.kubernetes.io/managed-by', 'helm.sh/chart'];

/** The chart's objects for these values without Helm's labels and hooks, with their Namespace first. */
export async function plainManifests(values: Values, options: RenderOptions = {}): Promise<readonly Manifest[]> {
  const rendered = await renderChart(values, options);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'reroll' } };
  const plain = rendered.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === undefined);
  return [namespace, ...plain.map(withoutHelm)];
}

/** Files below `deploy/` that are rendered from the chart, by path. */
export async function renderedFiles(options: RenderOptions = {}): Promise<ReadonlyMap<string, string>> {
  const base = await plainManifests({}, options);
  const files = new Map([
    ['manifests/install.yaml', head + manifestsText(base)],
    ['manifests/kustomization.yaml', head + kustomization({ resources: ['install.yaml'] })],
  ]);
  const rendered = new Map<string, readonly Manifest[]>();
  for (const [name, values] of Object.entries(variants)) rendered.set(name, await plainManifests(values, options));
  for (const [file, text] of kustomizeFiles(base, rendered)) files.set(`kustomize/${file}`, head + text);
  return files;
}

/** Removes Helm's labels from metadata and pod templates; no selector has one of them. */
function withoutHelm(manifest: Manifest): Manifest {
  const text = JSON.stringify(manifest, (_, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => !ofHelm.includes(name))) : value,
  );
  return JSON.parse(text) as Manifest;
}
