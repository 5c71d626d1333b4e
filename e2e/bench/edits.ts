import { configMap, secret } from '../apiserver/cluster';
import { merge } from '../apiserver/contract/contract-client';
import { createDeployments, inParallel } from './population';
import { created, createNamespace, type Stage } from './stage';

/** Size of each edited source: a few configuration files. */
export const editedBytes = 4 * 1024;

const body = 'x'.repeat(editedBytes);

/** Creates ConfigMaps `config-0`, `config-1` … for timed edits: small, and all of the same size. */
export async function createEditedConfigMaps({ api }: Stage, namespace: string, count: number): Promise<void> {
  await inParallel(count, async (index) => {
    const object = configMap({ name: `config-${index}`, namespace, data: { body, edit: '0' } });
    await created(api, `/api/v1/namespaces/${namespace}/configmaps`, object);
  });
}

/** Creates Secrets `secret-0`, `secret-1` … like the ConfigMaps. */
async function createEditedSecrets({ api }: Stage, namespace: string, count: number): Promise<void> {
  await inParallel(count, async (index) => {
    const object = secret({ name: `secret-${index}`, namespace, data: { body, edit: '0' } });
    await created(api, `/api/v1/namespaces/${namespace}/secrets`, object);
  });
}

/** Creates a namespace with opted-in Deployments `app-0` …, each with its own ConfigMap and Secret to edit. */
export async function createEditedWorkloads(stage: Stage, namespace: string, count: number): Promise<void> {
  await createNamespace(stage.api, namespace);
  await createEditedConfigMaps(stage, namespace, count);
  await createEditedSecrets(stage, namespace, count);
  await createDeployments(stage, namespace, count, { withSecrets: true });
}

/** When an edit was sent and when it was answered, by `performance.now()`. It was stored in between. */
export interface Edit {
  readonly sentMs: number;
  readonly answeredMs: number;
}

let edits = 0;

/** Sets one key of a ConfigMap or Secret to a value that it never had. */
export async function edit(
  { api }: Stage,
  resource: 'configmaps' | 'secrets',
  namespace: string,
  name: string,
): Promise<Edit> {
  edits++;
  const text = String(edits);
  const path = `/api/v1/namespaces/${namespace}/${resource}/${name}`;
  const value = resource === 'secrets' ? Buffer.from(text).toString('base64') : text;
  const sentMs = performance.now();
  const { status, bytes } = await api.patch(path, merge, { data: { edit: value } });
  const answeredMs = performance.now();
  if (status !== 200) throw new Error(`PATCH ${path}: ${String(status)} ${bytes.toString()}`);
  return { sentMs, answeredMs };
}
