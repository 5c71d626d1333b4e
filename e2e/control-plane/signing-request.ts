import { randomBytes } from 'node:crypto';
import { stringify } from 'yaml';
import { type Identity, createSigningRequest, generateRsaKeyPair } from './certificates';
import type { Cluster } from './cluster';
import { pollUntil } from './poll';

const lifetimeSeconds = 24 * 60 * 60;

/**
 * Lets a cluster sign a client certificate through its certificates API. The caller must be allowed to approve.
 *
 * @throws Error if the cluster does not sign it: some hosted clusters sign no client certificates.
 */
export async function issueBySigningRequest(
  { kubectl }: Pick<Cluster, 'kubectl'>,
  user: string,
  groups: readonly string[],
): Promise<Identity> {
  const pair = await generateRsaKeyPair();
  const name = `reroll-e2e-${randomBytes(6).toString('hex')}`;
  await kubectl(['create', '-f', '-'], {
    stdin: stringify({
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name },
      spec: {
        request: Buffer.from(createSigningRequest(pair, user, groups)).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client',
        expirationSeconds: lifetimeSeconds,
        usages: ['client auth'],
      },
    }),
  });
  try {
    await kubectl(['certificate', 'approve', name]);
    const certificate = await pollUntil(`the cluster to sign a client certificate for ${user}`, async () => {
      const base64 = await kubectl(['get', 'csr', name, '-o', 'jsonpath={.status.certificate}']);
      return base64 === '' ? undefined : Buffer.from(base64, 'base64').toString();
    });
    return { certPem: certificate, keyPem: pair.privatePem };
  } finally {
    await kubectl(['delete', 'csr', name]);
  }
}
