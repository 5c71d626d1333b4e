import { pods } from '../../shared/kube/resource';
import type { KubeClient } from '../../shared/kube/client/client';
import { listPages, type RequestLimits } from '../../shared/kube/client/objects';
import { look, valueOf } from './seen';

const pageSize = 500;

/**
 * When the oldest of the pods with these labels was created. Undefined: there is none, or they may not be listed, or
 * without labels nobody knows which they are. A pod that is being deleted runs for nobody.
 */
export async function readOldestPodMs(
  client: KubeClient,
  namespace: string,
  labels: Readonly<Record<string, string>>,
  limits: RequestLimits,
): Promise<number | undefined> {
  const labelSelector = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  if (labelSelector === '') return undefined;
  const options = { ...limits, labelSelector, metadataOnly: true, pageSize };
  return valueOf(await look(oldestOf(listPages(client, pods, namespace, options))));
}

async function oldestOf(pages: ReturnType<typeof listPages>): Promise<number | undefined> {
  let oldestMs: number | undefined;
  for await (const page of pages) {
    for (const { metadata } of page) {
      if (metadata.deletionTimestamp !== undefined) continue;
      oldestMs = Math.min(oldestMs ?? Infinity, Date.parse(metadata.creationTimestamp ?? ''));
    }
  }
  return oldestMs;
}
