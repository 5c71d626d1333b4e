import * as z from 'zod';
import { checkModes, type CheckMode } from '../../shared/domain/content-check/check-settings';
import { parseListenAddress } from '../../shared/runtime/http/listen-address';
import {
  switchRow,
  listOf,
  listenAddress,
  namespaceName,
  nonEmpty,
  objectName,
  oneOf,
} from '../../shared/runtime/options/option-schemas';
import { inGroup, type OptionTable, type OptionValues } from '../../shared/runtime/options/option-table';
import { parseOptions, type Environment } from '../../shared/runtime/options/options';
import {
  channelTlsOptionTable,
  listenAddressAccepts,
  processOptionTable,
  samePortProblems,
  serviceOptionTable,
} from '../../shared/runtime/options/process-options';
import { scopeOf, selectionOptionTable } from '../../shared/runtime/options/selection-options';
import { traceOptionTable } from '../../shared/runtime/options/trace-options';
import type { WebhookSelection } from '../registration/selection';
import type { HookType } from '../registration/webhook-configuration';

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

/** `namespace/name`, as cert-manager writes it in its annotation. */
const namespacedName = z.string().refine((text) => {
  const [namespace, name, ...more] = text.split('/');
  return more.length === 0 && namespaceName.safeParse(namespace).success && objectName.safeParse(name).success;
}, 'not a namespace and a name');

/** If a namespace is named twice, the last mode counts. */
const namespaceModes = z.array(z.string()).transform((elements, context): ReadonlyMap<string, CheckMode> => {
  const modes = elements.map((element): readonly [string, CheckMode] | undefined => {
    const [namespace = '', written, ...more] = element.split('=');
    const mode = checkModes.find((known) => known === written);
    if (mode && more.length === 0 && namespaceName.safeParse(namespace).success) return [namespace, mode];
    context.addIssue(`element ${JSON.stringify(element)}: not a namespace and a mode`);
    return undefined;
  });
  return new Map(modes.filter((mode) => mode !== undefined));
});

export const webhookOptionTable = {
  ...inGroup('Warnings and content checks', {
    preview: switchRow(
      'preview',
      'Warn whoever changes a ConfigMap or Secret which workloads will restart, also with `kubectl --dry-run=server`.',
      'true',
    ),
    lint: switchRow(
      'lint',
      'Warn whoever writes a workload about annotations that have no effect, or a different one than expected.',
      'true',
    ),
    quietNamespaces: {
      flag: 'quiet-namespaces',
      form: 'list',
      schema: listOf(namespaceName),
      describe: 'Send no warnings about writes to these namespaces.',
      accepts: 'a list of namespaces',
    },
    validateNamespaces: {
      flag: 'validate-namespaces',
      form: 'list',
      schema: namespaceModes,
      describe: 'Check the content of all ConfigMaps and Secrets in these namespaces, and warn or deny.',
      accepts: 'a list of namespace=warn or namespace=deny',
    },
  }),
  ...inGroup('Which namespaces and sources', selectionOptionTable),
  ...inGroup('Calls from API servers', {
    webhookListen: {
      flag: 'webhook-listen',
      schema: listenAddress,
      default: ':10250',
      describe: 'Address to serve admission reviews on.',
      accepts: listenAddressAccepts,
    },
    ...serviceOptionTable,
    tlsDir: {
      flag: 'tls-dir',
      schema: nonEmpty.optional(),
      describe: "Take the server's certificate from this directory instead of --certs-secret.",
      accepts: 'a directory with tls.crt, tls.key and ca.crt',
    },
    clientCaFile: {
      flag: 'client-ca-file',
      schema: nonEmpty.optional(),
      describe: "Accept only connections with a client certificate signed by one of these CAs: your API servers' CAs.",
      accepts: 'a PEM file of certificates',
    },
  }),
  ...inGroup('Registration', {
    register: {
      flag: 'register',
      schema: oneOf(registrations, 'no such registration'),
      default: 'none',
      describe: 'Webhook configurations to create, if neither the chart nor the manifests do.',
      accepts: Object.keys(registrations).join(', '),
    },
    injectCaFrom: {
      flag: 'inject-ca-from',
      schema: namespacedName.optional(),
      describe: 'cert-manager Certificate of the webhook: cert-manager injects its CA into the webhook configurations.',
      accepts: 'namespace/name',
    },
  }),
  ...inGroup('Channel to the reconcilers', {
    reconcilerAddresses: {
      flag: 'reconciler-address',
      form: 'list',
      schema: listOf(peerAddress),
      describe: 'Send to these reconcilers instead of the endpoints of --channel-service.',
      accepts: 'a list of host:port',
    },
    ...channelTlsOptionTable,
  }),
  ...inGroup('Traces', traceOptionTable),
  ...inGroup('Process', processOptionTable),
} satisfies OptionTable;

/** All options, parsed once at the start. */
export interface WebhookOptions extends Omit<OptionValues<typeof webhookOptionTable>, keyof WebhookSelection> {
  readonly selection: WebhookSelection;
}

/** @throws UsageError with every problem in `args` and `env`, not just the first. */
export function parseWebhookOptions(args: readonly string[], env: Environment): WebhookOptions {
  const values = parseOptions(webhookOptionTable, args, env, ({ webhookListen, listen }) =>
    samePortProblems('webhook-listen', webhookListen, listen),
  );
  const { namespaces, namespacesToIgnore, namespaceSelector, sourceSelector, ignoredSourceKinds, ...options } = values;
  const { scope } = scopeOf({ namespaces, namespacesToIgnore, namespaceSelector });
  return { ...options, selection: { namespaces, ...scope, sourceSelector, ignoredSourceKinds } };
}
