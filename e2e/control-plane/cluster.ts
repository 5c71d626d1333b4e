import type { AuditEntry, AuditFilter } from './audit';
import type { Identity } from './certificates';
import type { KubectlOptions } from './kubectl';
import type { ProcessIdentity } from './process-identity';
import type { ServerCommand } from './server-process';

/** The user that the process under test authenticates as; the audit log identifies its requests by this name. */
export const rerollUser = 'reroll';

/** What a test can do with any cluster, built here or already existing. */
export interface Cluster {
  readonly apiServerUrl: string;
  /** The CA certificate that signed the API server's certificate. */
  readonly caPem: string;
  /** A kubeconfig with every right. */
  readonly adminKubeconfigPath: string;
  /** Certificate and key of a user with these groups, the same pair on each call. The user has no rights by itself. */
  identityFor(user: string, groups?: readonly string[]): Promise<Identity>;
  /** Path of a kubeconfig for such a user. */
  kubeconfigFor(user: string, groups?: readonly string[]): Promise<string>;
  /**
   * Runs kubectl as admin.
   *
   * @example await cluster.kubectl(['apply', '-f', '-'], { stdin: manifest });
   */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<string>;
  /** The requests that the API server has logged so far; undefined if its audit log cannot be read. */
  auditEntries(filter?: AuditFilter): Promise<AuditEntry[] | undefined>;
  /** Ends the processes and removes the objects that were created for the test. May be called again. */
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
  /** Copies the data of etcd, while etcd and the API server are briefly stopped; resolves with the path of the copy. */
  backUpEtcd(): Promise<string>;
  /** Restores a copy, as after a disaster: resourceVersions that were assigned since the copy are assigned again. */
  restoreEtcd(backup: string): Promise<void>;
}
