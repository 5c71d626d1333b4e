import type { KubeClient } from '../../shared/kube/client/client';
import { listPages, type KubeObject } from '../../shared/kube/client/objects';
import type { Resource } from '../../shared/kube/resource';
import { lookAtKind } from '../evidence/seen-kind';

/** What is listed. */
export interface PageLimits {
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly timeoutMs: number;
}

const pageSize = 500;

/**
 * Lists objects page by page, so that no more than one page is held.
 *
 * @returns the right that is missing, if any. A kind that is not served has no pages.
 */
export async function readPages(
  client: KubeClient,
  resource: Resource,
  { namespace, ...options }: PageLimits & { readonly metadataOnly?: boolean; readonly labelSelector?: string },
  each: (page: readonly KubeObject[]) => void,
): Promise<string | undefined> {
  const reading = async (): Promise<void> => {
    for await (const page of listPages(client, resource, namespace, { ...options, pageSize })) each(page);
  };
  const seen = await lookAtKind(client, resource, reading(), options);
  return seen.is === 'hidden' ? seen.right : undefined;
}
