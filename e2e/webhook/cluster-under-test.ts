import { stringify } from 'yaml';
import { KubeClient } from '../../shared/kube/client/client';
import { staticCredentials } from '../../shared/kube/access/credentials';
import { createHttpsTransport, type HttpsTransport } from '../../shared/kube/transport/https-transport';
import { systemClock } from '../../shared/runtime/clock';
import { silentLogger } from '../../shared/runtime/log/logger';
import { ContractClient } from '../apiserver/contract/contract-client';
import type { Identity } from '../control-plane/certificates';
import type { ControlPlane } from '../control-plane/cluster';
import { MetricSamples } from '../metric-samples';
import { RerollProcess, type RerollProcessOptions } from '../reroll-process';

/** The role that a user is bound to. */
export interface RoleRef {
  readonly kind: 'Role' | 'ClusterRole';
  readonly name: string;
}

function bindingOf(user: string, { kind, name }: RoleRef) {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    metadata: { name: `${name}-${user}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  };
}

/** A dedicated control plane, its users, and the processes of Reroll on this host. */
export class ClusterUnderTest {
  readonly plane: ControlPlane;
  /** A client with every right. */
  readonly admin: ContractClient;
  readonly #transports: HttpsTransport[] = [];
  readonly #processes = new Set<RerollProcess>();

  protected constructor(plane: ControlPlane) {
    this.plane = plane;
    this.admin = this.#client(plane.admin);
  }

  /** A client of a user with the built-in role `edit`. */
  async editor(user: string): Promise<ContractClient> {
    await this.apply({ ...bindingOf(user, { kind: 'ClusterRole', name: 'edit' }), kind: 'ClusterRoleBinding' });
    return this.#client(await this.plane.identityFor(user));
  }

  /** A client of a user with a role in one namespace, and no other rights. */
  async member(user: string, namespace: string, role: RoleRef): Promise<ContractClient> {
    const binding = bindingOf(user, role);
    await this.apply({ ...binding, kind: 'RoleBinding', metadata: { ...binding.metadata, namespace } });
    return this.#client(await this.plane.identityFor(user));
  }

  /** A client of whoever has this certificate and key. */
  clientOf(identity: Identity): ContractClient {
    return this.#client(identity);
  }

  /** A client of the product's own kind, with every right. */
  kubeClient(): KubeClient {
    return new KubeClient({
      ...{ transport: this.#transport(this.plane.admin), credentials: staticCredentials({}) },
      ...{ clock: systemClock, logger: silentLogger, userAgent: 'reroll-e2e' },
    });
  }

  async apply(...objects: readonly object[]): Promise<void> {
    await this.plane.kubectl(['apply', '-f', '-'], { stdin: objects.map((object) => stringify(object)).join('---\n') });
  }

  /** Empties a Secret, as an administrator does after a leak. `reroll certs` recreates its content. */
  async emptySecret(name: string): Promise<void> {
    const patch = JSON.stringify({ data: null });
    await this.plane.kubectl(['-n', 'reroll', 'patch', 'secret', name, '--type=merge', '--patch', patch]);
  }

  /** The metrics of the API server, which count its webhook calls. */
  async apiServerMetrics(): Promise<MetricSamples> {
    return new MetricSamples((await this.admin.get('/metrics')).bytes.toString('utf8'));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#processes].map(async (each) => await each.end('SIGKILL')));
    for (const transport of this.#transports) transport.close();
    await this.plane.stop();
  }

  /** Starts a process that ends with the cluster. */
  protected run(options: RerollProcessOptions): RerollProcess {
    const started = new RerollProcess(options);
    this.#processes.add(started);
    return started;
  }

  #client(identity: Identity): ContractClient {
    return new ContractClient(this.#transport(identity));
  }

  #transport({ certPem, keyPem }: Identity): HttpsTransport {
    const { apiServerUrl, caPem } = this.plane;
    const tls = { ca: Buffer.from(caPem), cert: Buffer.from(certPem), key: Buffer.from(keyPem) };
    const transport = createHttpsTransport({ server: apiServerUrl, tls });
    this.#transports.push(transport);
    return transport;
  }
}
