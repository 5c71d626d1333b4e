import * as z from 'zod';
import { durationMs, namespaceName, objectName, oneOf, switchRow } from '../../shared/runtime/options/option-schemas';
import { inGroup, type OptionTable, type OptionValues } from '../../shared/runtime/options/option-table';
import { processOptionTable } from '../../shared/runtime/options/process-options';
import { narrowFormats, outputFormats } from '../output/formats';

const { context } = processOptionTable;

const kubeconfig = {
  ...processOptionTable.kubeconfig,
  describe: 'Reach the cluster with this kubeconfig; otherwise KUBECONFIG, ~/.kube/config, or the pod.',
};

/** Rows that all commands share which ask a cluster. */
export const clusterOptionTable = {
  ...inGroup('What is asked', {
    namespace: {
      flag: 'namespace',
      short: 'n',
      schema: namespaceName.optional(),
      describe: "Namespace that is asked about; otherwise the context's.",
      accepts: 'a namespace',
    },
  } satisfies OptionTable),
  ...inGroup('Output', {
    output: {
      flag: 'output',
      short: 'o',
      schema: oneOf(outputFormats, 'no such format'),
      default: 'text',
      describe: 'Format of the answer.',
      accepts: Object.keys(outputFormats).join(', '),
    },
  } satisfies OptionTable),
  ...inGroup('Cluster', {
    kubeconfig,
    context,
    timeoutMs: {
      flag: 'timeout',
      schema: durationMs.refine((ms) => ms > 0, 'no time at all'),
      default: '10s',
      describe: 'How long each request may take.',
      accepts: 'a Go duration such as 500ms, 10s or 1m',
    },
  } satisfies OptionTable),
  ...inGroup('Where Reroll is', {
    rerollNamespace: {
      flag: 'reroll-namespace',
      schema: namespaceName,
      default: 'reroll',
      describe: 'Namespace of the install.',
      accepts: 'a namespace',
    },
    leaseName: {
      flag: 'lease-name',
      schema: objectName,
      default: 'reroll',
      describe: 'Lease of the install, which names the leader. With --enable-ha it is stakater-reloader-lock.',
      accepts: 'a lower-case object name',
    },
    inspectionPort: {
      flag: 'inspection-port',
      schema: z
        .string()
        .regex(/^[1-9]\d{0,4}$/, 'not a port')
        .transform(Number)
        .refine((port) => port < 65_536, 'not a port'),
      default: '9095',
      describe: 'Port of --inspection-listen in the pod of the leader.',
      accepts: 'a port',
    },
  } satisfies OptionTable),
} satisfies OptionTable;

/** The row for a command whose answer has nothing more to show in a wide terminal. */
export const narrowOutputRow = {
  ...clusterOptionTable.output,
  schema: oneOf(narrowFormats, 'no such format'),
  accepts: Object.keys(narrowFormats).join(', '),
};

export type ClusterOptions = OptionValues<typeof clusterOptionTable>;

/** Those that say how the cluster and the leader are reached; `reroll ui` has no format. */
export type ConnectOptions = Omit<ClusterOptions, 'output'>;

/** A row for commands whose answer may be followed. */
export const watchRow = { ...switchRow('watch', 'Ask again every two seconds, until Ctrl-C.'), short: 'w' } as const;
