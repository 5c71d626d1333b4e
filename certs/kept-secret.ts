import { RerollError } from '../shared/domain/errors';
import { webhookTokenSecretName } from '../shared/domain/protocol/webhook-token';
import type { KubeClient } from '../shared/kube/client/client';
import { NotFoundError } from '../shared/kube/errors';
import { getObject, updateObject, type KubeObject, type RequestLimits } from '../shared/kube/client/objects';
import { secrets } from '../shared/kube/resource';
import { certificatesSecretName } from '../shared/kube/secrets/tls-secret-source';

/** The Secret with the keys of the CAs. Only the account of `reroll certs` has permission for it. */
export const authoritySecretName = 'reroll-ca';

/** The Secrets that `reroll certs` fills. The installation creates them without data. */
export const keptSecretNames = [authoritySecretName, certificatesSecretName, webhookTokenSecretName] as const;

export type KeptSecretName = (typeof keptSecretNames)[number];

/** Somebody deleted a Secret, or it was never installed. */
export class MissingSecretError extends RerollError {
  readonly secret: KeptSecretName;

  constructor(namespace: string, secret: KeptSecretName, cause: NotFoundError) {
    super(
      `the Secret ${namespace}/${secret} is missing, and reroll certs has no permission to create it: ` +
        'restore it with "helm upgrade" of the release, or "kubectl apply -f" of the manifests of this install',
      { code: 'SECRET_MISSING', cause },
    );
    this.secret = secret;
  }
}

/** @throws MissingSecretError, and KubeErrors. */
export async function readSecret(
  client: KubeClient,
  namespace: string,
  name: KeptSecretName,
  limits: RequestLimits,
): Promise<KubeObject> {
  try {
    return await getObject(client, secrets, namespace, name, limits);
  } catch (thrown) {
    if (thrown instanceof NotFoundError) throw new MissingSecretError(namespace, name, thrown);
    throw thrown;
  }
}

/** Replaces the data of a Secret if its version is still the one that was read. @throws ConflictError */
export async function writeSecret(
  client: KubeClient,
  secret: KubeObject,
  data: Readonly<Record<string, unknown>>,
  limits: RequestLimits,
): Promise<void> {
  const { namespace, name } = secret.metadata;
  await updateObject(client, secrets, namespace, name, { ...secret, data }, limits);
}
