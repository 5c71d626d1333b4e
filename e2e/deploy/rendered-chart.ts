import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { helm } from '../control-plane/helm';
import { projectDir } from '../control-plane/versions';

/** The chart as it is shipped. */
export const chartDir = path.join(projectDir, 'deploy', 'chart', 'reroll');

/** Values as a user writes them. */
export type Values = Readonly<Record<string, unknown>>;

/** A Kubernetes object, with the fields that are read here. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

export interface RenderOptions {
  readonly release?: string;
  readonly namespace?: string;
  readonly chart?: string;
  readonly kubeVersion?: string;
}

/** The output of `helm template` for the chart with these values. Rejects with Helm's error. */
export async function renderText(values: Values, options: RenderOptions = {}): Promise<string> {
  const { release = 'reroll', namespace = 'reroll', chart = chartDir, kubeVersion = '1.36.0' } = options;
  return await withValuesFile(
    values,
    async (file) =>
      await helm(
        ['template', release, chart, '--namespace', namespace, '--values', file, '--kube-version', kubeVersion],
        undefined,
      ),
  );
}

/** The objects that the chart renders, in Helm's order. */
export async function renderChart(values: Values, options: RenderOptions = {}): Promise<readonly Manifest[]> {
  const documents = parseAllDocuments(await renderText(values, options));
  // Such as a key that is there twice.
  for (const [error] of documents.map(({ errors }) => errors)) if (error) throw error;
  return documents.map((document) => document.toJS() as Manifest | null).filter((manifest) => manifest !== null);
}

/** Calls `use` with a file of these values, which is deleted afterwards. */
export async function withValuesFile<T>(values: Values, use: (file: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(path.join(tmpdir(), 'reroll-values-'));
  try {
    const file = path.join(dir, 'values.yaml');
    await writeFile(file, stringify(values));
    return await use(file);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
