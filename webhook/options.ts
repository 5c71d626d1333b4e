import { z } from 'zod';
import { parseListenAddress } from '../shared/runtime/listen-address';
import { listOf, listenAddress, namespaceName, nonEmpty, objectName, oneOf } from '../shared/runtime/option-schemas';
import type { OptionTable, OptionValues } from '../shared/runtime/option-table';
import { parseOptions, type Environment } from '../shared/runtime/options';
import type { LogFormat, LogLevel } from '../shared/runtime/winston-logger';
import type { HookType } from './webhook-configuration';

const logFormats: Readonly<Record<string, LogFormat>> = { text: 'console', json: 'json' };
const logLevels: Readonly<Record<string, LogLevel>> = { error: 'error', warn: 'warn', info: 'info', debug: 'debug' };

const registrations: Readonly<Record<string, readonly HookType[]>> = {
  none: [],
  validating: ['validating'],
  mutating: ['mutating'],
  both: ['validating', 'mutating'],
};

/** Unlike an address to listen on, it must name a host and a port. */
const peerAddress = z.string().refine((text) => {
  const address = parseListenAddress(text);
  return address?.host !== undefined && address.port > 0;
}, 'not a host and port');

/** A Service's name is one label; its first character is a letter (RFC 1035). */
const serviceName = z
  .string()
  .regex(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/, 'not a Service: up to 63 lower-case letters, digits and dashes');

const addressAccepts = 'host:port such as :9090, 127.0.0.1:9090 or [::1]:9090; port 0 for any free one';

export const webhookOptionTable = {
  webhookListen: {
    flag: 'webhook-listen',
    form: 'value',
    schema: listenAddress,
    default: ':10250',
    describe: 'Address on which the API server calls.',
    accepts: addressAccepts,
  },
  listen: {
    flag: 'listen',
    form: 'value',
    schema: listenAddress,
    default: ':9090',
    describe: 'Address of metrics and probes.',
    accepts: addressAccepts,
  },
  register: {
    flag: 'register',
    form: 'value',
    schema: oneOf(registrations, 'no such registration'),
    default: 'none',
    describe: 'Registrations to make with the API server, where the chart or the manifests do not.',
    accepts: Object.keys(registrations).join(', '),
  },
  webhookService: {
    flag: 'webhook-service',
    form: 'value',
    schema: serviceName,
    default: 'reroll-webhook',
    describe: 'Service under which the API server calls, for --register.',
    accepts: 'the name of a Service',
  },
  channelService: {
    flag: 'channel-service',
    form: 'value',
    schema: serviceName,
    default: 'reroll-channel',
    describe: 'Service of the reconcilers; each of its endpoints gets every record.',
    accepts: 'the name of a Service',
  },
  reconcilerAddresses: {
    flag: 'reconciler-address',
    form: 'list',
    schema: listOf(peerAddress),
    describe: 'Send to these reconcilers instead of looking for the endpoints of --channel-service.',
    accepts: 'a list of host:port',
  },
  certsSecret: {
    flag: 'certs-secret',
    form: 'value',
    schema: objectName,
    default: 'reroll-certs',
    describe: 'Secret with the certificates that `reroll certs` keeps.',
    accepts: 'a lower-case object name',
  },
  tlsDir: {
    flag: 'tls-dir',
    form: 'value',
    schema: nonEmpty.optional(),
    describe: "Take the server's certificate from here instead of --certs-secret.",
    accepts: 'a directory with tls.crt, tls.key and ca.crt',
  },
  channelTlsDir: {
    flag: 'channel-tls-dir',
    form: 'value',
    schema: nonEmpty.optional(),
    describe: 'Take the certificate shown to the reconcilers from here instead of --certs-secret.',
    accepts: 'a directory with tls.crt, tls.key and ca.crt',
  },
  ownNamespace: {
    flag: 'own-namespace',
    fallbackEnv: 'POD_NAMESPACE',
    form: 'value',
    schema: namespaceName.optional(),
    describe: 'Where Secrets and Services are; otherwise the namespace of the credentials.',
    accepts: 'a namespace',
  },
  logFormat: {
    flag: 'log-format',
    form: 'value',
    schema: oneOf(logFormats, 'no such format'),
    default: 'text',
    describe: 'Form of the log lines.',
    accepts: Object.keys(logFormats).join(', '),
  },
  logLevel: {
    flag: 'log-level',
    form: 'value',
    schema: oneOf(logLevels, 'no such level'),
    default: 'info',
    describe: 'The least severe log lines that are written.',
    accepts: Object.keys(logLevels).join(', '),
  },
  kubeconfig: {
    flag: 'kubeconfig',
    form: 'value',
    schema: nonEmpty.optional(),
    describe: 'Reach the cluster with this kubeconfig; otherwise KUBECONFIG, the pod, or ~/.kube/config.',
    accepts: 'a path',
  },
  context: {
    flag: 'context',
    form: 'value',
    schema: nonEmpty.optional(),
    describe: "Context of the kubeconfig; otherwise the kubeconfig's current one.",
    accepts: 'the name of a context',
  },
} satisfies OptionTable;

/** Everything that can be set from outside, compiled once at the start. */
export type WebhookOptions = OptionValues<typeof webhookOptionTable>;

/** @throws UsageError with every problem of `args` and `env`, not just the first. */
export function parseWebhookOptions(args: readonly string[], env: Environment): WebhookOptions {
  return parseOptions(webhookOptionTable, args, env, addressProblems);
}

function addressProblems({ webhookListen, listen }: Partial<WebhookOptions>): readonly string[] {
  if (!webhookListen || !listen || listen.port === 0 || webhookListen.port !== listen.port) return [];
  if (webhookListen.host !== listen.host && webhookListen.host !== undefined && listen.host !== undefined) return [];
  return [`--webhook-listen and --listen are both port ${listen.port}: give each a port of its own`];
}
