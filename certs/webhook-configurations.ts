import { fieldAt, listOf, objectOf, textOf } from '../shared/domain/json-value';
import type { KubeClient } from '../shared/kube/client';
import { undefinedIfNotFound } from '../shared/kube/errors';
import { applyObject, getObject, type RequestLimits } from '../shared/kube/objects';
import { mutatingWebhookConfigurations, validatingWebhookConfigurations, type Resource } from '../shared/kube/resource';
import type { CertificateNames } from './certificate-names';

/** Names of the configurations that are looked after, where they exist. */
export interface ConfigurationNames {
  readonly validating: string;
  readonly mutating: string;
}

/** One webhook of a configuration that calls our Service. */
export interface LiveWebhook {
  readonly name: string;
  /** PEM; empty where there is none. */
  readonly caBundle: string;
}

export interface LiveConfiguration {
  readonly kind: string;
  readonly resource: Resource;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly webhooks: readonly LiveWebhook[];
}

/** Owns the caBundles and nothing else: all other fields are of whoever registered the webhook. */
const fieldManager = 'reroll-certs';

const apiVersion = 'admissionregistration.k8s.io/v1';

/** The registrations that exist and have a webhook of ours. Throws KubeErrors, as {@link injectBundle}. */
export async function readConfigurations(
  client: KubeClient,
  configurations: ConfigurationNames,
  names: CertificateNames,
  limits: RequestLimits,
): Promise<readonly LiveConfiguration[]> {
  const wanted = [
    {
      kind: 'ValidatingWebhookConfiguration',
      resource: validatingWebhookConfigurations,
      name: configurations.validating,
    },
    { kind: 'MutatingWebhookConfiguration', resource: mutatingWebhookConfigurations, name: configurations.mutating },
  ];
  const found: LiveConfiguration[] = [];
  for (const target of wanted) {
    const object = await getObject(client, target.resource, undefined, target.name, limits).catch(undefinedIfNotFound);
    if (!object) continue;
    const webhooks = listOf(object['webhooks']).flatMap((webhook) => liveWebhook(webhook, names));
    const { uid, resourceVersion } = object.metadata;
    if (webhooks.length > 0) found.push({ ...target, uid, resourceVersion, webhooks });
  }
  return found;
}

/**
 * Sets the caBundle of every webhook of ours in one configuration, if it is still the version that was read: a bundle
 * must never overwrite a newer one.
 *
 * @throws ConflictError
 */
export async function injectBundle(
  client: KubeClient,
  { kind, resource, name, uid, resourceVersion, webhooks }: LiveConfiguration,
  bundle: string,
  limits: RequestLimits,
): Promise<void> {
  const caBundle = Buffer.from(bundle).toString('base64');
  const body = {
    apiVersion,
    kind,
    metadata: { name, uid, resourceVersion },
    // All of ours each time: an apply takes back what the one before it set and it does not.
    webhooks: webhooks.map((webhook) => ({ name: webhook.name, clientConfig: { caBundle } })),
  };
  await applyObject(client, resource, undefined, name, body, { ...limits, fieldManager });
}

function liveWebhook(webhook: unknown, names: CertificateNames): readonly LiveWebhook[] {
  const service = objectOf(fieldAt(webhook, ['clientConfig', 'service']));
  const name = textOf(fieldAt(webhook, ['name']));
  if (name === undefined || service['name'] !== names.webhookService) return [];
  if (service['namespace'] !== names.namespace) return [];
  const caBundle = textOf(fieldAt(webhook, ['clientConfig', 'caBundle'])) ?? '';
  return [{ name, caBundle: Buffer.from(caBundle, 'base64').toString('utf8') }];
}
