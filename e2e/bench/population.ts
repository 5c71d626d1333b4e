import { randomFillSync } from 'node:crypto';
import { configMap, deployment, fromConfigMap, fromSecret } from '../apiserver/cluster';
import { created, type Stage } from './stage';

/** Maximum of concurrent requests while a stage is filled. */
const atOnce = 32;

/** Sizes of objects as in real clusters, small and large: on average 21 KiB. */
const contentBytes = [2, 4, 8, 16, 32, 64].map((kib) => kib * 1024);

const keysOfContent = 4;

/** Random content, so no two objects share it and it does not compress. `index` determines only its size. */
function content(index: number): Readonly<Record<string, string>> {
  const bytes = Buffer.alloc(((contentBytes[index % contentBytes.length] ?? 0) * 3) / 4 / keysOfContent);
  const keys = Array.from({ length: keysOfContent }, (_, key) => `key-${key}`);
  return Object.fromEntries(keys.map((key) => [key, randomFillSync(bytes).toString('base64')]));
}

/** Total bytes of content of `count` objects, before any encoding of the API. */
export function contentSize(count: number): number {
  let bytes = 0;
  for (let index = 0; index < count; index++) bytes += contentBytes[index % contentBytes.length] ?? 0;
  return bytes;
}

/** Creates Secrets `secret-0`, `secret-1` …, whose values are text. */
export async function createSecrets({ api }: Stage, namespace: string, count: number): Promise<void> {
  await inParallel(count, async (index) => {
    const metadata = { name: `secret-${index}` };
    await created(api, `/api/v1/namespaces/${namespace}/secrets`, { metadata, stringData: content(index) });
  });
}

/** Creates ConfigMaps `config-0`, `config-1` …. */
export async function createConfigMaps({ api }: Stage, namespace: string, count: number): Promise<void> {
  await inParallel(count, async (index) => {
    const object = configMap({ name: `config-${index}`, namespace, data: content(index) });
    await created(api, `/api/v1/namespaces/${namespace}/configmaps`, object);
  });
}

/**
 * Creates Deployments `app-0`, `app-1` … without pods. Each uses the ConfigMap, and with `withSecrets` also the Secret,
 * of the number that `sourceOf` returns; by default its own number. The floor's Deployments are not opted in, so the
 * subject leaves them alone.
 */
export async function createDeployments(
  { api }: Stage,
  namespace: string,
  count: number,
  { sourceOf = (index: number): number => index, withSecrets = false, optedIn = true } = {},
): Promise<void> {
  await inParallel(count, async (index) => {
    const source = sourceOf(index);
    const envFrom = [fromConfigMap(`config-${source}`), ...(withSecrets ? [fromSecret(`secret-${source}`)] : [])];
    const annotations = optedIn ? { 'reloader.stakater.com/auto': 'true' } : {};
    const object = deployment({ name: `app-${index}`, namespace, replicas: 0, annotations, envFrom });
    await created(api, `/apis/apps/v1/namespaces/${namespace}/deployments`, object);
  });
}

/** Calls `one` for 0 to `count` - 1, at most {@link atOnce} at a time. */
export async function inParallel(count: number, one: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
}
