import type { Component } from '../../runtime/process/lifecycle';
import type { Logger } from '../../runtime/log/logger';
import { version } from '../../runtime/version';
import { KubeClient } from './client';
import type { ServerClock } from './server-clock';
import { createHttpsTransport } from '../transport/https-transport';
import { loadClusterAccess, type ClusterAccessOptions } from '../access/load-cluster-access';
import type { ClientObserver } from '../observers';
import { readOnlyTransport } from '../transport/read-only-transport';
import { storingNothingTransport } from '../transport/storing-nothing-transport';
import type { Transport } from '../transport';
import { TlsRefresh } from '../access/tls-refresh';

export interface ClusterConnectionOptions extends ClusterAccessOptions {
  /** Corrected by the answers of the API server. */
  readonly clock: ServerClock;
  readonly logger: Logger;
  /** Maximum of concurrent requests; watches have their own connections. */
  readonly maxRequestSockets: number;
  /** Refuse all requests that are not GETs; `but-dry-runs`: or that store nothing. */
  readonly readOnly?: boolean | 'but-dry-runs';
  /** Creates the observer of all requests; `host` is the API server's. */
  readonly observer?: (host: string) => ClientObserver;
}

export interface ClusterConnection {
  readonly client: KubeClient;
  /** `https://host:port` */
  readonly server: string;
  /** The pod's own namespace, or the namespace of the kubeconfig's context. */
  readonly namespace: string;
  /** Applies rotated certificates while it runs. Stop it after everything that sends requests. */
  readonly component: Component;
}

/**
 * A client for the cluster that the options select. It works before its component is started.
 * @throws CredentialsError that names what is missing.
 */
export async function connectCluster(options: ClusterConnectionOptions): Promise<ClusterConnection> {
  const { clock, logger, maxRequestSockets, readOnly = false, observer } = options;
  const access = await loadClusterAccess(options);
  const { server, tls, credentials, namespace, reloadTls: load } = access;
  const transport = createHttpsTransport({ server, tls, maxRequestSockets });
  const client = new KubeClient({
    ...{ clock, serverClock: clock, logger, credentials },
    transport: guarded(transport, readOnly),
    userAgent: `reroll/${version}`,
    ...(observer && { observer: observer(new URL(server).host) }),
  });
  const refresh =
    load && new TlsRefresh({ clock, logger, current: tls, load, apply: (next) => transport.reload(next) });
  const component: Component = {
    name: 'connection to the API server',
    start: () => refresh?.start(),
    stop: () => {
      refresh?.stop();
      transport.close();
      return Promise.resolve();
    },
  };
  return { client, server, namespace, component };
}

function guarded(transport: Transport, readOnly: boolean | 'but-dry-runs'): Transport {
  if (readOnly === 'but-dry-runs') return storingNothingTransport(transport);
  return readOnly ? readOnlyTransport(transport) : transport;
}
