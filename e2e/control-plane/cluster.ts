import type { AuditEntry, AuditFilter } from './audit';
import type { Identity } from './certificates';
import type { KubectlOptions } from './kubectl';
import type { ProcessIdentity } from './process-identity';
import type { ServerCommand } from './server-process';

/** The user that the process under test authenticates as, so that the audit log tells its requests apart. */
export const rerollUser = 'reroll';

/** What a test can do with any cluster, be it built here or one that already exists. */
export interface Cluster {
  readonly apiServerUrl: string;
  /** The certificate that signs the API server's own. */
  readonly caPem: string;
  /** A kubeconfig with every right. */
  readonly adminKubeconfigPath: string;
  /** Certificate and key of a user with these groups; the same pair when asked again. It has no rights by itself. */
  identityFor(user: string, groups?: readonly string[]): Promise<Identity>;
  /** Path of a kubeconfig for such a user. */
  kubeconfigFor(user: string, groups?: readonly string[]): Promise<string>;
  /**
   * Runs kubectl as admin.
   *
   * @example await cluster.kubectl(['apply', '-f', '-'], { stdin: manifest });
   */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<string>;
  /** What the API server was asked so far; undefined where its audit log is out of reach. */
  auditEntries(filter?: AuditFilter): Promise<AuditEntry[] | undefined>;
  /** Ends what was started and removes what was created for the test. May be called again. */
  stop(): Promise<void>;
}

/** A cluster whose processes are ours. */
export interface ControlPlane extends Cluster {
  readonly admin: Identity;
  readonly reroll: Identity;
  /** Folder of one log file per server and of the audit log. */
  readonly logDir: string;
  /** The servers that run now. */
  readonly servers: readonly (ProcessIdentity & { readonly name: string })[];
  auditEntries(filter?: AuditFilter): Promise<AuditEntry[]>;
  /** Starts one more server, such as the controller of an add-on; it ends with the others. */
  startServer(command: ServerCommand): Promise<void>;
  /** Ends the API server alone: SIGTERM lets it drain, SIGKILL is a crash. */
  stopApiServer(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Starts the API server again, at the same address with the same data, and waits until it is ready. */
  startApiServer(): Promise<void>;
  /** Copies what etcd stores, for which etcd and API server are stopped a moment; resolves with where the copy is. */
  backUpEtcd(): Promise<string>;
  /** Takes the cluster back to a copy, as after a disaster: its versions are given out anew. */
  restoreEtcd(backup: string): Promise<void>;
}
