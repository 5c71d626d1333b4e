import { z } from 'zod';
import {
  durationMs,
  goBool,
  goBoolAccepts,
  listenAddress,
  namespaceName,
  nonEmpty,
  objectName,
  oneOf,
} from '../shared/runtime/option-schemas';
import type { OptionTable, OptionValues } from '../shared/runtime/option-table';
import { parseOptions, type Environment } from '../shared/runtime/options';
import type { LogFormat, LogLevel } from '../shared/runtime/winston-logger';

const logFormats: Readonly<Record<string, LogFormat>> = { text: 'console', json: 'json' };
const logLevels: Readonly<Record<string, LogLevel>> = { error: 'error', warn: 'warn', info: 'info', debug: 'debug' };

/** A Service's name is one label; its first character is a letter (RFC 1035). */
const serviceName = z
  .string()
  .regex(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/, 'not a Service: up to 63 lower-case letters, digits and dashes');

export const certsOptionTable = {
  once: {
    flag: 'once',
    form: 'switch',
    schema: goBool,
    default: 'false',
    describe: 'Do what is owed now and exit: 0 when all is done, 1 with the reason when it is not.',
    accepts: goBoolAccepts,
  },
  webhookService: {
    flag: 'webhook-service',
    form: 'value',
    schema: serviceName,
    default: 'reroll-webhook',
    describe: 'Service under which the API server calls the webhook.',
    accepts: 'the name of a Service',
  },
  channelService: {
    flag: 'channel-service',
    form: 'value',
    schema: serviceName,
    default: 'reroll-channel',
    describe: 'Service under which the webhook calls the reconcilers.',
    accepts: 'the name of a Service',
  },
  validating: {
    flag: 'validating-webhook-configuration',
    form: 'value',
    schema: objectName,
    default: 'reroll',
    describe: 'ValidatingWebhookConfiguration whose caBundles are kept, if it exists.',
    accepts: 'a lower-case object name',
  },
  mutating: {
    flag: 'mutating-webhook-configuration',
    form: 'value',
    schema: objectName,
    default: 'reroll',
    describe: 'MutatingWebhookConfiguration whose caBundles are kept, if it exists.',
    accepts: 'a lower-case object name',
  },
  caLifeMs: {
    flag: 'ca-life',
    form: 'value',
    schema: durationMs,
    default: '8760h',
    describe: 'How long a CA is valid; it is replaced when a third of that is left.',
    accepts: 'a Go duration, at least three times --leaf-life',
  },
  leafLifeMs: {
    flag: 'leaf-life',
    form: 'value',
    schema: durationMs,
    default: '720h',
    describe: 'How long the other certificates are valid; they are renewed when a third of that is left.',
    accepts: 'a Go duration of 1h or more',
  },
  ownNamespace: {
    flag: 'own-namespace',
    fallbackEnv: 'POD_NAMESPACE',
    form: 'value',
    schema: namespaceName.optional(),
    describe: 'Where the Secret and the Services are; otherwise the namespace of the credentials.',
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
  listen: {
    flag: 'listen',
    form: 'value',
    schema: listenAddress,
    default: ':9090',
    describe: 'Address of metrics and probes.',
    accepts: 'host:port such as :9090, 127.0.0.1:9090 or [::1]:9090; port 0 for any free one',
  },
} satisfies OptionTable;

export type CertsOptions = OptionValues<typeof certsOptionTable>;

/** Below it, a missed minute or two would let a certificate end. */
const minLeafLifeMs = 60 * 60_000;

/** @throws UsageError with every problem of `args` and `env`, not just the first. */
export function parseCertsOptions(args: readonly string[], env: Environment): CertsOptions {
  return parseOptions(certsOptionTable, args, env, lifeProblems);
}

function lifeProblems({ caLifeMs, leafLifeMs }: Partial<CertsOptions>): readonly string[] {
  const problems: string[] = [];
  if (leafLifeMs !== undefined && leafLifeMs < minLeafLifeMs)
    problems.push('--leaf-life is too short: give 1h or more');
  // A leaf is never valid for longer than its CA: with less, the last ones of a CA would be cut short.
  if (caLifeMs !== undefined && leafLifeMs !== undefined && caLifeMs < 3 * leafLifeMs) {
    problems.push('--ca-life is less than three times --leaf-life: raise the one or lower the other');
  }
  return problems;
}
