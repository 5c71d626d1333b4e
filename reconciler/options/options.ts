import type { StrategyName } from '../../shared/domain/workloads/workload-settings';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import type { ListenAddress } from '../../shared/runtime/http/listen-address';
import {
  annotationKeysOf,
  annotationOptionTable,
  annotationProblems,
} from '../../shared/runtime/options/annotation-options';
import {
  switchRow,
  listenAddress,
  loopbackAddress,
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
} from '../../shared/runtime/options/process-options';
import {
  appearanceOptionTable,
  dryRunRow,
  ignoredWorkloadKindsOf,
  restartOptionTable,
} from '../../shared/runtime/options/restart-options';
import { gateOptionTable, gatesOf } from '../../shared/runtime/options/gate-options';
import { healthCheckOptionTable } from '../../shared/runtime/options/health-check-options';
import { paceOf, paceOptionTable, paceRemarks } from '../../shared/runtime/options/pace-options';
import { scopeOf, selectionOptionTable } from '../../shared/runtime/options/selection-options';
import { stageOptionTable, stagesOf } from '../../shared/runtime/options/stage-options';
import { settleMaxOf, settleOptionTable } from '../../shared/runtime/options/settle-options';
import { traceOptionTable, type TraceOptions } from '../../shared/runtime/options/trace-options';
import type { LogFormat, LogLevel } from '../../shared/runtime/log/winston-logger';
import { alertOptionTable, type AlertOptions } from '../alerts/options';
import type { EngineSettings } from './engine-settings';
import {
  defaultLeaseName,
  metaInfoOptionTable,
  notifyOptionTable,
  reloaderOptionTable,
  ineffectiveOptions,
} from './reloader-options';

/** Settings that are composed of several options, or discovered if not set. */
type FoundOut = 'policy' | 'ownNamespace' | 'identity';

/** All options of the reconciler, parsed once at the start. */
export interface ReconcilerOptions extends AlertOptions, TraceOptions, Omit<EngineSettings, FoundOut> {
  readonly autoReloadAll: boolean;
  readonly ignoredWorkloadKinds: readonly WorkloadKindName[];
  readonly logFormat: LogFormat;
  readonly logLevel: LogLevel;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** The namespace of the lease and the digest key; undefined: the namespace of the credentials. */
  readonly ownNamespace: string | undefined;
  /** Identity in the lease; undefined: the host name. */
  readonly podName: string | undefined;
  /** Undefined if the reconciler does not listen for the webhook. */
  readonly channelListen: ListenAddress | undefined;
  /** Undefined: Reroll answers no questions about workloads and sources. */
  readonly inspectionListen: ListenAddress | undefined;
  readonly certsSecret: string;
  readonly channelTlsDir: string | undefined;
  /** Whether Services are asked that workloads name. */
  readonly healthyUrls: boolean;
  /** Undefined: queries that workloads name are not asked. */
  readonly prometheusUrl: URL | undefined;
  /** If set, it is called for each change, and nothing is restarted. */
  readonly webhookUrl: URL | undefined;
  /** Undefined if version and options are not published. */
  readonly metaInfoNamespace: string | undefined;
  readonly metaInfoDeployment: string | undefined;
  /** The address of metrics and probes. */
  readonly listen: ListenAddress;
  /** Options that have no effect, for the log. */
  readonly remarks: readonly string[];
}

const strategies: Readonly<Record<string, StrategyName>> = {
  'env-vars': 'env-vars',
  annotations: 'annotations',
  'restarted-at': 'restarted-at',
  // The name of the default in Reloader's chart.
  default: 'env-vars',
};

const { autoReloadAll, ...othersOfRestarts } = restartOptionTable;

/** Flags of Reloader keep their names. */
export const reconcilerOptionTable = {
  ...inGroup('What restarts', {
    autoReloadAll,
    ...appearanceOptionTable,
    ...othersOfRestarts,
  }),
  ...inGroup('Which namespaces and sources', selectionOptionTable),
  ...inGroup('When and how', {
    strategy: {
      flag: 'reload-strategy',
      schema: oneOf(strategies, 'no such strategy'),
      default: 'env-vars',
      describe: 'What is changed in the pod template to restart a workload.',
      accepts: 'env-vars (or default), annotations, restarted-at',
    },
    ...settleOptionTable,
    ...gateOptionTable,
    ...paceOptionTable,
    ...stageOptionTable,
    ...healthCheckOptionTable,
    rollback: switchRow(
      'rollback',
      'Obey the annotation reroll.dev/on-failure: keep the last content of a source with which all users were healthy, and put it back when a change has stopped. Needs the rights to write ConfigMaps and Secrets.',
    ),
    foldRollouts: switchRow(
      'fold-rollouts',
      "Do not restart a workload if somebody else's later rollout already applied the change, such as a release that changes the ConfigMap and the workload.",
      'true',
    ),
    dryRun: dryRunRow,
    history: switchRow(
      'history',
      "Keep the history of restarts in ConfigMaps of Reroll's namespace. Otherwise it ends with the process.",
      'true',
    ),
  }),
  ...inGroup('Annotation keys', annotationOptionTable),
  ...inGroup('Replicas', {
    podName: {
      flag: 'pod-name',
      fallbackEnv: 'POD_NAME',
      schema: nonEmpty.optional(),
      describe: 'Identity of this replica in the lease. Default: the host name.',
      accepts: 'a name that no other replica has',
    },
    leaseName: {
      flag: 'lease-name',
      schema: objectName.optional(),
      describe: "Name of the lease that the replicas share. Default: reroll, or Reloader's name with --enable-ha.",
      accepts: 'a lower-case object name',
    },
  }),
  ...inGroup('The channel from the webhook', {
    channelListen: {
      flag: 'channel-listen',
      schema: listenAddress.optional(),
      describe:
        "Address on which the webhook's change records are received; none: changes are found by watching alone.",
      accepts: listenAddressAccepts,
    },
    ...channelTlsOptionTable,
  }),
  ...inGroup('Questions of people', {
    inspectionListen: {
      flag: 'inspection-listen',
      schema: loopbackAddress,
      default: '127.0.0.1:9095',
      describe:
        'Address within the pod on which questions about workloads and sources are answered, for kubectl port-forward.',
      accepts:
        'a loopback address and port such as 127.0.0.1:9095 or [::1]:9095; port 0 for any free one; off for none',
    },
  }),
  ...inGroup('Alerts and calls', {
    ...notifyOptionTable,
    ...alertOptionTable,
    ...metaInfoOptionTable,
  }),
  ...inGroup('Traces', traceOptionTable),
  ...inGroup('Process', processOptionTable),
  ...inGroup('Accepted from Reloader', reloaderOptionTable),
} satisfies OptionTable;

type Values = OptionValues<typeof reconcilerOptionTable>;

/** @throws UsageError with every problem of `args` and `env`, not just the first. */
export function parseReconcilerOptions(args: readonly string[], env: Environment): ReconcilerOptions {
  const values = parseOptions(reconcilerOptionTable, args, env, (some) => [
    ...settleProblems(some),
    ...annotationProblems(some),
    ...samePortProblems('channel-listen', some.channelListen, some.listen),
    ...namespaceRemarks(some),
  ]);
  const { auto, configMapAuto, secretAuto, configMapReload, secretReload, search, match, ignore, ...others } = values;
  const { pausePeriod, pausedAt, ignoredSourceKinds, rollouts, ...rest } = others;
  const { enableHa, syncAfterRestart, enablePprof, pprofAddr, settleMaxMs, ...settings } = rest;
  const { restartMode, restartWindows, minIntervalMs, ...paced } = settings;
  const { maxRolling, maxRollingPerNamespace, maxRollingPerNodePool, nodePoolLabel, restartRate, ...staged } = paced;
  const { stagesFrom, healthyForMs, stageDeadlineMs, ...options } = staged;
  const { scope, remarks } = scopeOf(options);
  const pace = paceOf({ maxRolling, maxRollingPerNamespace, maxRollingPerNodePool, nodePoolLabel, restartRate });
  return {
    ...options,
    ...scope,
    settleMaxMs: settleMaxOf(options.settleMs, settleMaxMs),
    gates: gatesOf({ restartMode, restartWindows, minIntervalMs }),
    pace,
    stages: stagesOf({ stagesFrom, healthyForMs, stageDeadlineMs }),
    ignoredSourceKind: ignoredSourceKinds[0],
    ignoredWorkloadKinds: ignoredWorkloadKindsOf({ ...options, rollouts }),
    leaseName: options.leaseName ?? defaultLeaseName({ enableHa }),
    replicated: enableHa,
    channelListen: options.dryRun ? undefined : options.channelListen,
    remarks: [
      ...remarks,
      ...paceRemarks(pace),
      ...ineffectiveOptions({ enableHa, syncAfterRestart, enablePprof, pprofAddr }),
      ...(options.dryRun && options.channelListen
        ? ['--channel-listen has no effect in a dry run: the webhook reports to the install that acts']
        : []),
    ],
    annotationKeys: annotationKeysOf({
      ...{ auto, configMapAuto, secretAuto, configMapReload, secretReload, search, match, ignore },
      ...{ pausePeriod, pausedAt },
    }),
  };
}

function settleProblems({ settleMs, settleMaxMs }: Partial<Values>): readonly string[] {
  if (settleMs === undefined || settleMaxMs === undefined || settleMs <= settleMaxMs) return [];
  return [
    `--settle (${settleMs} ms) is longer than --settle-max (${settleMaxMs} ms): raise the one or lower the other`,
  ];
}

/** Each namespace costs 1 MiB and seven watches or more, each with its own connection. */
export const maxNamespaces = 100;

function namespaceRemarks({ namespaces = [] }: Partial<Values>): readonly string[] {
  if (namespaces.length <= maxNamespaces) return [];
  return [
    `--namespaces has ${namespaces.length} entries, and ${maxNamespaces} can be watched one by one: leave it out to watch the ` +
      'whole cluster, with --namespace-selector to choose from it, or divide them among several installs',
  ];
}
