import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deployment } from '../apiserver/cluster';
import type { PortForward } from '../control-plane/port-forwards';
import type { ControlPlane } from '../control-plane/cluster';
import { pollUntil } from '../control-plane/poll';
import { freePorts } from '../control-plane/ports';
import { grantRerollAccess } from '../control-plane/reroll-access';
import { startControlPlane } from '../control-plane/start';
import { bundlePath } from '../reroll-process';
import { ClusterUnderTest } from '../webhook/cluster-under-test';
import { ready } from '../webhook/reroll-cluster';
import { patient } from '../cluster/test-namespace';
import { flagsOf, installs, leaderless, ownNamespaceOf, strangers, type Install, type InstallName } from './installs';
import { askRole, bindingOf, holdRole, keepingRole, pausingRole, readingRole, readOnlyRole } from './rights';

const inspectionPort = 9095;
const pod = 'reroll-0';
const readOnlyUser = 'reroll-reading';

/**
 * Who asks: somebody who may forward a port to Reroll's pod, or somebody who may only read the cluster. Both may hold
 * restarts.
 */
export type Person = 'asker' | 'reader';

/** The exit code for everybody, or for each. */
export type ExitCode = number | Readonly<Record<Person, number>>;

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A control plane with several installs of Reroll, their pods, and people who ask. */
export class CliCluster extends ClusterUnderTest {
  readonly #ports: ReadonlyMap<string, number>;
  readonly #stranger: Server;

  static async start(): Promise<CliCluster> {
    const stranger = createServer((_request, response) => {
      response.end(JSON.stringify({ v: 2, mood: 'good' }));
    });
    stranger.listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const names = [...Object.keys(installs), 'older'];
    const free = await freePorts(names.length);
    const ports = new Map(names.map((name, index) => [name, free[index] ?? 0]));
    ports.set('newer', (stranger.address() as AddressInfo).port);
    const portForwards = [...ports].map(([name, target]): PortForward => {
      return { namespace: ownNamespaceOf(name), pod, port: inspectionPort, target };
    });
    const cluster = new CliCluster(await startControlPlane({ nodeCount: 1, portForwards }), ports, stranger);
    try {
      await cluster.#setUp();
      return cluster;
    } catch (thrown) {
      await cluster.stop();
      throw thrown;
    }
  }

  private constructor(plane: ControlPlane, ports: ReadonlyMap<string, number>, stranger: Server) {
    super(plane);
    this.#ports = ports;
    this.#stranger = stranger;
  }

  override async stop(): Promise<void> {
    this.#stranger.close();
    await super.stop();
  }

  /** Starts the reconciler of an install, and resolves once it leads. */
  async reconciler(name: InstallName): Promise<void> {
    const install: Install = installs[name];
    const kubeconfig = await this.plane.kubeconfigFor(install.isReadOnly ? readOnlyUser : 'reroll');
    const own = [`--own-namespace=${ownNamespaceOf(name)}`, `--pod-name=${pod}`];
    const ports = ['--listen=127.0.0.1:0', `--inspection-listen=127.0.0.1:${this.#ports.get(name) ?? 0}`];
    const args = ['reconciler', `--kubeconfig=${kubeconfig}`, ...own, ...ports, '--log-format=json', '--settle=500ms'];
    await ready(this.run({ args: [...args, ...flagsOf(install)] }));
  }

  /** What the reconciler of an install answers itself, without the API server. */
  async inspection(name: InstallName, path: string): Promise<{ readonly [field: string]: unknown }> {
    const response = await fetch(`http://127.0.0.1:${this.#ports.get(name) ?? 0}${path}`);
    return (await response.json()) as { readonly [field: string]: unknown };
  }

  /** Runs the bundle as somebody would: as a process, with their kubeconfig. */
  async ask(person: Person, args: readonly string[], input = ''): Promise<Run> {
    const env = { PATH: process.env['PATH'], KUBECONFIG: await this.plane.kubeconfigFor(person) };
    return await new Promise((resolve) => {
      const child = execFile(process.execPath, [bundlePath, ...args], { env }, (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, err });
      });
      child.stdin?.end(input);
    });
  }

  async #setUp(): Promise<void> {
    for (const name of Object.keys(installs)) {
      await grantRerollAccess(this.plane, { namespace: ownNamespaceOf(name) });
    }
    const others = [...Object.keys(strangers), ...Object.keys(leaderless)];
    await this.apply(
      ...others.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ownNamespaceOf(name) } })),
    );
    await this.apply(...readOnlyRole(readOnlyUser, ownNamespaceOf('reading')), readingRole, pausingRole);
    await this.apply(keepingRole, bindingOf('reroll', keepingRole));
    for (const person of ['asker', 'reader'] as const) {
      await this.apply(bindingOf(person, readingRole), bindingOf(person, pausingRole));
      await this.apply(...holdRole(person, ownNamespaceOf('main')));
    }
    const asked = [...Object.keys(installs), ...others].map(ownNamespaceOf);
    await this.apply(...asked.flatMap((namespace) => askRole('asker', namespace)));
    await this.apply(...Object.values(installs).map(rerollDeployment));
    await this.apply(...Object.keys(strangers).map((name) => leaseOf(name, pod, new Date())));
    await this.apply(...Object.entries(leaderless).map(([name, holder]) => leaseOf(name, holder, new Date(0))));
    await Promise.all([...Object.keys(installs), ...Object.keys(strangers)].map(async (name) => await this.#pod(name)));
  }

  /** A pod whose port leads to a process of this machine. */
  async #pod(name: string): Promise<void> {
    const namespace = ownNamespaceOf(name);
    const object = {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: pod, namespace } },
      spec: { nodeName: 'node-0', containers: [{ name: 'reroll', image: 'reroll:1' }] },
    };
    // The account of the namespace is created a moment after the namespace.
    await pollUntil(
      `a pod in ${namespace}`,
      async () => {
        const { status } = await this.admin.post(`/api/v1/namespaces/${namespace}/pods`, object);
        return status === 201 ? true : undefined;
      },
      patient,
    );
  }
}

/** Its flags are what somebody without the leader learns of the install. */
function rerollDeployment(install: Install): object {
  const labels = { 'app.kubernetes.io/component': 'reconciler' };
  const containers = [{ name: 'reroll', image: 'reroll:1', args: ['reconciler', ...flagsOf(install)] }];
  return deployment({ name: 'reroll', namespace: ownNamespaceOf(install.name), labels, containers, replicas: 0 });
}

function leaseOf(name: string, holderIdentity: string, renewed: Date): object {
  return {
    ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
    metadata: { name: 'reroll', namespace: ownNamespaceOf(name) },
    spec: {
      ...{ holderIdentity, leaseDurationSeconds: 3_600 },
      renewTime: renewed.toISOString().replace('Z', '000Z'),
      acquireTime: renewed.toISOString().replace('Z', '000Z'),
    },
  };
}
