import path from 'node:path';
import type { BinaryPaths } from './binaries';
import type { ServerCommand } from './server-process';

/** Loopback ports of one control plane. */
export interface Ports {
  readonly etcdClient: number;
  readonly etcdPeer: number;
  readonly apiServer: number;
}

/** The files of one control plane, all in its data folder. */
export interface Layout {
  readonly dataDir: string;
  readonly logDir: string;
  readonly ports: Ports;
}

/** Addresses of Services. The first one is the API server's own and belongs in its certificate. */
export const serviceNetwork = { range: '10.0.0.0/24', apiServerAddress: '10.0.0.1' } as const;

/** Names of the files that the servers read, relative to the data folder. */
export const files = {
  ca: 'ca.crt',
  caKey: 'ca.key',
  apiServerCert: 'kube-apiserver.crt',
  apiServerKey: 'kube-apiserver.key',
  serviceAccountKey: 'service-account.key',
  serviceAccountPublicKey: 'service-account.pub',
  auditPolicy: 'audit-policy.yaml',
} as const;

/** The URL of etcd: without TLS, which the API server accepts, and on loopback, which only local users reach. */
export function etcdUrl(ports: Ports): string {
  return `http://127.0.0.1:${ports.etcdClient}`;
}

/** The URL of the API server. */
export function apiServerUrl(ports: Ports): string {
  return `https://127.0.0.1:${ports.apiServer}`;
}

/** The path of the API server's audit log. */
export function auditLogPath(layout: Layout): string {
  return path.join(layout.logDir, 'audit.log');
}

/** The path of the kubeconfig of a component or of the admin. */
export function kubeconfigPath(layout: Layout, name: string): string {
  return path.join(layout.dataDir, `${name}.kubeconfig`);
}

/** The data folder of etcd. */
export function etcdDataDir({ dataDir }: Layout): string {
  return path.join(dataDir, 'etcd');
}

/** The command line of etcd. */
export function etcdCommand(binaries: BinaryPaths, layout: Layout): ServerCommand {
  const { ports } = layout;
  const peerUrl = `http://127.0.0.1:${ports.etcdPeer}`;
  return {
    name: 'etcd',
    file: binaries.etcd,
    args: [
      '--name=e2e',
      `--data-dir=${etcdDataDir(layout)}`,
      `--listen-client-urls=${etcdUrl(ports)}`,
      `--advertise-client-urls=${etcdUrl(ports)}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=e2e=${peerUrl}`,
      // The data are deleted after the test, so waiting for the disk would only slow it down.
      '--unsafe-no-fsync',
      '--quota-backend-bytes=8589934592',
      '--max-request-bytes=3145728',
    ],
  };
}

/** The command line of the API server. */
export function apiServerCommand(
  binaries: BinaryPaths,
  layout: Layout,
  extraFlags: readonly string[] = [],
): ServerCommand {
  const inDataDir = (file: string): string => path.join(layout.dataDir, file);
  return {
    name: 'kube-apiserver',
    file: binaries['kube-apiserver'],
    args: [
      `--etcd-servers=${etcdUrl(layout.ports)}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${layout.ports.apiServer}`,
      // Without this flag, the server would wait for an address that is not loopback, and announce it.
      '--endpoint-reconciler-type=none',
      '--authorization-mode=Node,RBAC',
      `--client-ca-file=${inDataDir(files.ca)}`,
      `--tls-cert-file=${inDataDir(files.apiServerCert)}`,
      `--tls-private-key-file=${inDataDir(files.apiServerKey)}`,
      `--service-cluster-ip-range=${serviceNetwork.range}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${inDataDir(files.serviceAccountPublicKey)}`,
      `--service-account-signing-key-file=${inDataDir(files.serviceAccountKey)}`,
      `--audit-policy-file=${inDataDir(files.auditPolicy)}`,
      `--audit-log-path=${auditLogPath(layout)}`,
      // The log is rotated at this size in MB. Entries of rotated files would not be counted.
      '--audit-log-maxsize=4096',
      // On SIGTERM, ends watches gracefully. Without this flag, the server waits a minute for clients to disconnect.
      '--shutdown-watch-termination-grace-period=5s',
      ...extraFlags,
    ],
  };
}

/** The command line of the controller manager. */
export function controllerManagerCommand(binaries: BinaryPaths, layout: Layout): ServerCommand {
  const inDataDir = (file: string): string => path.join(layout.dataDir, file);
  return {
    name: 'kube-controller-manager',
    file: binaries['kube-controller-manager'],
    args: [
      `--kubeconfig=${kubeconfigPath(layout, 'kube-controller-manager')}`,
      '--leader-elect=false',
      '--secure-port=0',
      '--use-service-account-credentials',
      `--service-account-private-key-file=${inDataDir(files.serviceAccountKey)}`,
      `--root-ca-file=${inDataDir(files.ca)}`,
      // Lets it sign certificate requests, like the existing clusters that tests may run against instead.
      `--cluster-signing-cert-file=${inDataDir(files.ca)}`,
      `--cluster-signing-key-file=${inDataDir(files.caKey)}`,
      '--kube-api-qps=200',
      '--kube-api-burst=400',
    ],
  };
}

/** The command line of the scheduler, which is needed because KWOK marks only pods ready that are bound to a node. */
export function schedulerCommand(binaries: BinaryPaths, layout: Layout): ServerCommand {
  return {
    name: 'kube-scheduler',
    file: binaries['kube-scheduler'],
    args: [
      `--kubeconfig=${kubeconfigPath(layout, 'kube-scheduler')}`,
      '--leader-elect=false',
      '--secure-port=0',
      '--kube-api-qps=200',
      '--kube-api-burst=400',
    ],
  };
}

/**
 * The command line of KWOK, which simulates the kubelet of every node as the given stages define. With a port, it also
 * serves the kubelets' API there, for requests that the API server passes on.
 */
export function kwokCommand(
  binaries: BinaryPaths,
  layout: Layout,
  configs: readonly string[],
  kubeletPort?: number,
): ServerCommand {
  const kubelet =
    kubeletPort === undefined
      ? []
      : [`--server-address=127.0.0.1:${kubeletPort}`, '--node-ip=127.0.0.1', `--node-port=${kubeletPort}`];
  return {
    name: 'kwok',
    file: binaries.kwok,
    args: [
      `--kubeconfig=${kubeconfigPath(layout, 'kwok')}`,
      '--manage-all-nodes=true',
      '--node-lease-duration-seconds=40',
      ...kubelet,
      ...configs.map((file) => `--config=${file}`),
    ],
  };
}
