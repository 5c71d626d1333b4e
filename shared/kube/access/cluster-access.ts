import type { Agent } from 'node:http';
import type { Credentials } from './credentials';

/** PEM material for the connection to an API server. */
export interface TlsMaterial {
  /** CAs that may sign the server's certificate; default: Node's own. */
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  /** Name to verify the server's certificate against, if it differs from the host. */
  readonly serverName?: string;
  /** `insecure-skip-tls-verify` of a kubeconfig; never set otherwise. */
  readonly insecureSkipVerify?: boolean;
  /** Connects through the proxy of a kubeconfig or of the environment, with this material. */
  readonly proxyAgent?: Agent;
}

/** Everything needed to connect to one cluster. */
export interface ClusterAccess {
  /** `https://host:port`, maybe with a path prefix. */
  readonly server: string;
  readonly tls: TlsMaterial;
  readonly credentials: Credentials;
  /** The namespace that this process runs in, or uses by default. */
  readonly namespace: string;
  /** Reads CA and client certificate again, if they can be rotated while the process runs. */
  readonly reloadTls?: () => Promise<TlsMaterial>;
}
