import { fieldAt, listOf, objectOf, textOf } from '../shared/domain/kubernetes/json-value';
import { tokenPath, type HookPath } from '../shared/domain/protocol/webhook-token';
import type { KubeClient } from '../shared/kube/client/client';
import { undefinedIfNotFound } from '../shared/kube/errors';
import { applyObject, getObject, patchObject, type RequestLimits } from '../shared/kube/client/objects';
import { mutatingWebhookConfigurations, validatingWebhookConfigurations, type Resource } from '../shared/kube/resource';
import type { CertificateNames } from './certificate-names';

/** Names of the managed configurations; they need not exist. */
export interface ConfigurationNames {
  readonly validating: string;
  readonly mutating: string;
}

/** One webhook in a configuration that calls our Service. */
export interface LiveWebhook {
  readonly name: string;
  /** PEM; empty if there is none. */
  readonly caBundle: string;
  /** The token in its path; undefined if the path has none. */
  readonly token: string | undefined;
  /** As stored; caBundle in base64. */
  readonly stored: { readonly caBundle: string | undefined; readonly path: string | undefined };
}

export interface LiveConfiguration {
  readonly kind: string;
  readonly resource: Resource;
  readonly hook: HookPath;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** The entries of others in `managedFields`; undefined: none is ours. */
  readonly foreignFields: readonly unknown[] | undefined;
  readonly webhooks: readonly LiveWebhook[];
}

/** The required values for all of Reroll's webhooks. An undefined one is not known now, and is left unchanged. */
export interface Wanted {
  readonly caBundle: string | undefined;
  readonly token: string | undefined;
}

/** Owns caBundles and paths, and nothing else: all other fields belong to whoever registered the webhook. */
const fieldManager = 'reroll-certs';

/**
 * Owns only the paths. It needs another name: an apply removes fields that an earlier apply with the same name has set,
 * so an install that switches to certificates of others would lose their caBundle.
 */
const pathFieldManager = 'reroll-certs-path';

const ownManagers: readonly unknown[] = [fieldManager, pathFieldManager];

const apiVersion = 'admissionregistration.k8s.io/v1';

/** The registrations that exist and have a webhook of Reroll. Throws KubeErrors, like {@link applyWanted}. */
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
      hook: 'validate',
      name: configurations.validating,
    },
    {
      kind: 'MutatingWebhookConfiguration',
      resource: mutatingWebhookConfigurations,
      hook: 'mutate',
      name: configurations.mutating,
    },
  ] as const;
  const found: LiveConfiguration[] = [];
  for (const target of wanted) {
    const object = await getObject(client, target.resource, undefined, target.name, limits).catch(undefinedIfNotFound);
    if (!object) continue;
    const webhooks = listOf(object['webhooks']).flatMap((webhook) => liveWebhook(webhook, target.hook, names));
    const { uid, resourceVersion } = object.metadata;
    const foreignFields = foreignFieldsOf(listOf(object.metadata['managedFields']));
    if (webhooks.length > 0) found.push({ ...target, uid, resourceVersion, foreignFields, webhooks });
  }
  return found;
}

/** Whether there is nothing to apply. */
export function isAsWanted({ webhooks }: LiveConfiguration, { caBundle, token }: Wanted): boolean {
  return webhooks.every(
    (webhook) =>
      (caBundle === undefined || webhook.caBundle === caBundle) && (token === undefined || webhook.token === token),
  );
}

/**
 * Sets caBundle and path of all of Reroll's webhooks in one configuration, if it is still in the version that was read:
 * no write may overwrite a newer value. Without `caBundles` it never touches a caBundle.
 * @throws ConflictError
 */
export async function applyWanted(
  client: KubeClient,
  { kind, resource, hook, name, uid, resourceVersion, webhooks }: LiveConfiguration,
  { caBundle, token }: Wanted,
  { caBundles, ...limits }: RequestLimits & { readonly caBundles: boolean },
): Promise<void> {
  const body = {
    apiVersion,
    kind,
    metadata: { name, uid, resourceVersion },
    // Always all of our webhooks, with unknown values unchanged: an apply removes fields that the previous one set and
    // it omits.
    webhooks: webhooks.map((webhook) => {
      const path = token === undefined ? webhook.stored.path : tokenPath(hook, token);
      const bundle = caBundle === undefined ? webhook.stored.caBundle : Buffer.from(caBundle).toString('base64');
      const service = path !== undefined && { service: { path } };
      return { name: webhook.name, clientConfig: { ...service, ...(caBundles && bundle && { caBundle: bundle }) } };
    }),
  };
  const manager = caBundles ? fieldManager : pathFieldManager;
  await applyObject(client, resource, undefined, name, body, { ...limits, fieldManager: manager });
}

/**
 * Leaves what we have applied to nobody. While we own it, whoever installs by server-side apply cannot take a webhook out of
 * the configuration: our fields would stay, and the API server rejects a webhook that has no others.
 * @throws ConflictError
 */
export async function disown(
  client: KubeClient,
  { resource, name, resourceVersion, foreignFields = [] }: LiveConfiguration,
  limits: RequestLimits,
): Promise<void> {
  // The API server takes an empty list for no change, and one empty entry for none.
  // @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#clearing-managedfields
  const managedFields = foreignFields.length === 0 ? [{}] : foreignFields;
  const patch = { metadata: { resourceVersion, managedFields } };
  await patchObject(client, resource, undefined, name, patch, { ...limits, type: 'merge', fieldManager });
}

function foreignFieldsOf(entries: readonly unknown[]): readonly unknown[] | undefined {
  const foreign = entries.filter((entry) => !ownManagers.includes(fieldAt(entry, ['manager'])));
  return foreign.length < entries.length ? foreign : undefined;
}

function liveWebhook(webhook: unknown, hook: HookPath, names: CertificateNames): readonly LiveWebhook[] {
  const service = objectOf(fieldAt(webhook, ['clientConfig', 'service']));
  const name = textOf(fieldAt(webhook, ['name']));
  if (name === undefined || service['name'] !== names.webhookService) return [];
  if (service['namespace'] !== names.namespace) return [];
  const stored = { caBundle: textOf(fieldAt(webhook, ['clientConfig', 'caBundle'])), path: textOf(service['path']) };
  const caBundle = Buffer.from(stored.caBundle ?? '', 'base64').toString('utf8');
  return [{ name, caBundle, token: tokenOf(hook, stored.path), stored }];
}

function tokenOf(hook: HookPath, path: string | undefined): string | undefined {
  const token = path?.split('/').at(-1);
  return token !== undefined && path === tokenPath(hook, token) ? token : undefined;
}
