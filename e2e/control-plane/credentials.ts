import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';
import { auditPolicy } from './audit';
import { type CertificateAuthority, type Identity, createAuthority, generateRsaKeyPair } from './certificates';
import { rerollUser } from './cluster';
import { type Layout, apiServerUrl, files, kubeconfigPath, serviceNetwork } from './commands';
import { writeKubeconfig } from './kubeconfig';

/** The certificate authority, and the users that tests act as. */
export interface Credentials {
  readonly authority: CertificateAuthority;
  readonly admin: Identity;
  readonly reroll: Identity;
}

/** The user that may do everything. */
export const adminUser = { user: 'admin', groups: ['system:masters'] } as const;

/** Creates every key, certificate and kubeconfig that the servers read, in the data folder. */
export async function writeCredentials(layout: Layout): Promise<Credentials> {
  const write = async (name: string, content: string): Promise<void> =>
    await writeFile(path.join(layout.dataDir, name), content, { mode: 0o600 });

  const authority = await createAuthority('reroll-e2e-ca');
  const issueUser = async (file: string, user: string, groups: readonly string[] = []): Promise<Identity> => {
    const identity = await authority.issue({ commonName: user, organizations: groups });
    await writeKubeconfig(kubeconfigPath(layout, file), {
      server: apiServerUrl(layout.ports),
      caPem: authority.caPem,
      user,
      identity,
    });
    return identity;
  };
  const [admin, reroll, server, serviceAccount] = await Promise.all([
    issueUser('admin', adminUser.user, adminUser.groups),
    issueUser('reroll', rerollUser),
    authority.issue({
      commonName: 'kube-apiserver',
      dnsNames: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
      ipAddresses: ['127.0.0.1', serviceNetwork.apiServerAddress],
    }),
    generateRsaKeyPair(),
    // Kubernetes has built-in roles for the first two names. KWOK has none, so it gets every right.
    issueUser('kube-controller-manager', 'system:kube-controller-manager'),
    issueUser('kube-scheduler', 'system:kube-scheduler'),
    issueUser('kwok', 'kwok', ['system:masters']),
  ]);

  await Promise.all([
    write(files.ca, authority.caPem),
    write(files.caKey, authority.keyPem),
    write(files.apiServerCert, server.certPem),
    write(files.apiServerKey, server.keyPem),
    write(files.serviceAccountKey, serviceAccount.privatePem),
    write(files.serviceAccountPublicKey, serviceAccount.publicPem),
    write(files.auditPolicy, stringify(auditPolicy)),
  ]);
  return { authority, admin, reroll };
}
