import { pods } from '../../shared/kube/resource';
import type { KubeClient } from '../../shared/kube/client/client';
import { listPages, type RequestLimits } from '../../shared/kube/client/objects';
import { ForbiddenError, NotFoundError } from '../../shared/kube/errors';

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
  let oldestMs: number | undefined;
  try {
    const options = { ...limits, labelSelector, metadataOnly: true, pageSize };
    for await (const page of listPages(client, pods, namespace, options)) {
      for (const { metadata } of page) {
        if (metadata.deletionTimestamp !== undefined) continue;
        oldestMs = Math.min(oldestMs ?? Infinity, Date.parse(metadata.creationTimestamp ?? ''));
      }
    }
  } catch (thrown) {
    if (thrown instanceof ForbiddenError || thrown instanceof NotFoundError) return undefined;
    throw thrown;
  }
  return oldestMs;
}
