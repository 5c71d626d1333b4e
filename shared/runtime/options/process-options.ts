import * as z from 'zod';
import type { ListenAddress } from '../http/listen-address';
import { listenAddress, namespaceName, nonEmpty, objectName, oneOf, serviceName } from './option-schemas';
import type { OptionTable } from './option-table';
import type { LogFormat, LogLevel } from '../log/winston-logger';

/** Rows that the tables of several commands share. */

const logFormats: Readonly<Record<string, LogFormat>> = { '': 'console', text: 'console', json: 'json' };

/** Maps Reloader's levels to ours. */
const logLevels: Readonly<Record<string, LogLevel>> = {
  panic: 'error',
  fatal: 'error',
  error: 'error',
  warn: 'warn',
  warning: 'warn',
  info: 'info',
  debug: 'debug',
  trace: 'debug',
};

export const lowerCased = z.string().transform((text) => text.toLowerCase());

export const listenAddressAccepts = 'host:port such as :9090, 127.0.0.1:9090 or [::1]:9090; port 0 for any free one';

/** Options of every process: log, cluster, metrics and probes. */
export const processOptionTable = {
  logFormat: {
    flag: 'log-format',
    schema: oneOf(logFormats, 'no such format'),
    default: 'text',
    describe: 'Format of the log lines.',
    accepts: 'text, json',
  },
  logLevel: {
    flag: 'log-level',
    schema: lowerCased.pipe(oneOf(logLevels, 'no such level')),
    default: 'info',
    describe: 'The lowest level of log lines to write.',
    accepts: Object.keys(logLevels).join(', '),
  },
  kubeconfig: {
    flag: 'kubeconfig',
    schema: nonEmpty.optional(),
    describe: 'Reach the cluster with this kubeconfig; otherwise KUBECONFIG, the pod, or ~/.kube/config.',
    accepts: 'a path',
  },
  context: {
    flag: 'context',
    schema: nonEmpty.optional(),
    describe: "Context of the kubeconfig; otherwise the kubeconfig's current one.",
    accepts: 'the name of a context',
  },
  listen: {
    flag: 'listen',
    schema: listenAddress,
    default: ':9090',
    describe: 'Address of metrics and probes.',
    accepts: listenAddressAccepts,
  },
  ownNamespace: {
    flag: 'own-namespace',
    fallbackEnv: 'POD_NAMESPACE',
    schema: namespaceName.optional(),
    describe: "Reroll's own namespace, with its Lease, Secrets and Services; otherwise the credentials' namespace.",
    accepts: 'a namespace',
  },
} satisfies OptionTable;

/**
 * The Service through which the API server calls the webhook, and the one through which the webhook calls the
 * reconcilers.
 */
export const serviceOptionTable = {
  webhookService: {
    flag: 'webhook-service',
    schema: serviceName,
    default: 'reroll-webhook',
    describe: 'Service under which the API server calls the webhook.',
    accepts: 'the name of a Service',
  },
  channelService: {
    flag: 'channel-service',
    schema: serviceName,
    default: 'reroll-channel',
    describe: 'Service of the reconcilers, to which the webhook reports changes.',
    accepts: 'the name of a Service',
  },
} satisfies OptionTable;

/** Where both ends of the change channel read their certificates. */
export const channelTlsOptionTable = {
  certsSecret: {
    flag: 'certs-secret',
    schema: objectName,
    default: 'reroll-certs',
    describe: 'Secret with the certificates that `reroll certs` keeps.',
    accepts: 'a lower-case object name',
  },
  channelTlsDir: {
    flag: 'channel-tls-dir',
    schema: nonEmpty.optional(),
    describe: 'Read the certificate for the change channel from this directory instead of --certs-secret.',
    accepts: 'a directory with tls.crt, tls.key and ca.crt',
  },
} satisfies OptionTable;

/** Two servers of one process cannot share a port; `flag` is that of the first address. */
export function samePortProblems(
  flag: string,
  address: ListenAddress | undefined,
  listen: ListenAddress | undefined,
): readonly string[] {
  if (!address || !listen || listen.port === 0 || address.port !== listen.port) return [];
  if (address.host !== listen.host && address.host !== undefined && listen.host !== undefined) return [];
  return [`--${flag} and --listen are both port ${listen.port}: give each a port of its own`];
}
