import { isLabelKey, isLabelValue } from '../../shared/domain/kubernetes/selector';
import { pods } from '../../shared/kube/resource';
import type { KubeClient } from '../../shared/kube/client/client';
import { listPages, type RequestLimits } from '../../shared/kube/client/objects';
import { look, valueOf } from './seen';

const pageSize = 500;

/** What an address holds besides, for any proxy on the way. No selector that means pods is as long. */
const maxSelectorLength = 4_096;

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
  const entries = Object.entries(labels);
  const labelSelector = entries.map(([key, value]) => `${key}=${value}`).join(',');
  if (labelSelector === '' || labelSelector.length > maxSelectorLength) return undefined;
  // The API server does not check the labels in an Argo Rollout, and refuses such a question.
  if (!entries.every(([key, value]) => isLabelKey(key) && (value === '' || isLabelValue(value)))) return undefined;
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
