import { sourceAnnotations } from '../../shared/domain/annotations/annotations';
import type { KubeClient } from '../../shared/kube/client/client';
import { readBody } from '../../shared/kube/client/response-body';
import { resourcePath, type Resource } from '../../shared/kube/resource';

/** A key that the object of a trial lacks. The webhook, and nobody else, warns of it. */
const requiredKey = 'reroll-check';
const warning = `the key ${requiredKey} is missing`;
const maxAnswerBytes = 1024 * 1024;

export interface Trial {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/**
 * Lets the API server call the webhook without storing anything: a dry run of the creation of an empty object that asks
 * for a key which it does not have. If the webhook was asked, its warning is in the header of the answer.
 *
 * @returns whether the webhook answered
 * @throws KubeError
 */
export async function isWebhookAnswering(client: KubeClient, trial: Trial): Promise<boolean> {
  const { resource, namespace, name, labels, timeoutMs } = trial;
  const annotations = { [sourceAnnotations.validate]: 'warn', [sourceAnnotations.requiredKeys]: requiredKey };
  const kind = resource.plural === 'secrets' ? 'Secret' : 'ConfigMap';
  const { headers, body } = await client.open({
    ...{ method: 'POST', path: resourcePath(resource, namespace), timeoutMs },
    query: { dryRun: 'All', fieldManager: requiredKey },
    body: { apiVersion: 'v1', kind, metadata: { name, namespace, labels, annotations } },
  });
  await readBody(body, maxAnswerBytes);
  return headers['warning']?.includes(warning) === true;
}
