import type { Credentials } from './credentials';

/** PEM material for the connection to an API server. */
export interface TlsMaterial {
  /** Authorities that may sign the server's certificate; without them, Node's own. */
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  /** Name to verify the server's certificate against, where it differs from the host. */
  readonly serverName?: string;
  /** `insecure-skip-tls-verify` of a kubeconfig: never set otherwise. */
  readonly insecureSkipVerify?: boolean;
}

/** Everything needed to reach one cluster. */
export interface ClusterAccess {
  /** `https://host:port`, maybe with a path prefix. */
  readonly server: string;
  readonly tls: TlsMaterial;
  readonly credentials: Credentials;
  /** The namespace this process lives in, or works in by default. */
  readonly namespace: string;
  /** Reads CA and client certificate anew, where they can be rotated under us. */
  readonly reloadTls?: () => Promise<TlsMaterial>;
}
