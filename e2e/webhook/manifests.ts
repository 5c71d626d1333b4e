import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { webhookConfiguration, type HookType } from '../../webhook/registration/webhook-configuration';

/** The fields of a Kubernetes object that are used here. */
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}

const service = { namespace: 'reroll', name: 'reroll-webhook' };

/**
 * The manifests that users apply, with one change: the webhook runs on this host. A Service of type ExternalName leads
 * the API server there, at the port of the registration. In TLS, the API server still asks for the Service's name.
 */
export function deployManifests(webhookPort: number, hooks: readonly HookType[]): readonly Manifest[] {
  const shipped = ['rbac.yaml', 'webhook.yaml'].flatMap(readManifests);
  const validating = shipped.filter(({ kind }) => kind === 'ValidatingWebhookConfiguration');
  const others = shipped.filter((manifest) => !validating.includes(manifest));
  const registered = hooks.flatMap((hook) =>
    hook === 'validating' ? validating : [webhookConfiguration('mutating', service)],
  );
  return [
    ...others.map((manifest) => (isWebhookService(manifest) ? onThisHost(manifest) : manifest)),
    ...registered.map((manifest) => atPort(manifest, webhookPort)),
  ];
}

function readManifests(file: string): readonly Manifest[] {
  const text = readFileSync(join(__dirname, '..', '..', 'deploy', file), 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

function isWebhookService({ kind, metadata }: Manifest): boolean {
  return kind === 'Service' && metadata.name === service.name;
}

function onThisHost(manifest: Manifest): Manifest {
  return { ...manifest, spec: { type: 'ExternalName', externalName: '127.0.0.1' } };
}

function atPort(manifest: Manifest, port: number): Manifest {
  const webhooks = (manifest['webhooks'] as readonly { readonly clientConfig: { readonly service: object } }[]).map(
    (webhook) => ({ ...webhook, clientConfig: { service: { ...webhook.clientConfig.service, port } } }),
  );
  return { ...manifest, webhooks };
}
