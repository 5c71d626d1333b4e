import * as z from 'zod';
import type { GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { fieldAt, listOf, objectOf, textOf, type JsonObject } from '../../shared/domain/kubernetes/json-value';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { LintSettings } from '../../shared/domain/lint/lint-subject';
import type { KubeClient } from '../../shared/kube/client/client';
import { listObjects, type RequestLimits } from '../../shared/kube/client/objects';
import { annotationKeysOf, annotationOptionTable } from '../../shared/runtime/options/annotation-options';
import { gateOptionTable, gatesOf } from '../../shared/runtime/options/gate-options';
import { optionEnv, type OptionTable, type OptionValues } from '../../shared/runtime/options/option-table';
import { parseOptions, type Environment } from '../../shared/runtime/options/options';
import {
  appearanceOptionTable,
  dryRunRow,
  ignoredWorkloadKindsOf,
  restartOptionTable,
} from '../../shared/runtime/options/restart-options';
import { scopeOf, selectionOptionTable } from '../../shared/runtime/options/selection-options';
import { settleMaxOf, settleOptionTable } from '../../shared/runtime/options/settle-options';
import { look, type Seen } from './seen';

/** The flags of the install, as far as they decide what restarts. */
export interface Install {
  /** False: the defaults are assumed. */
  readonly isKnown: boolean;
  readonly settings: LintSettings;
  readonly reloadOnCreate: boolean;
  readonly reloadOnDelete: boolean;
  readonly settleMs: number;
  readonly settleMaxMs: number;
  /** When restarts may begin; undefined: at any time. */
  readonly gates: GateSettings | undefined;
  readonly dryRun: boolean;
  /** Reroll calls `--webhook-url` and restarts nothing. */
  readonly callsInstead: boolean;
}

/** The flags of the reconciler that decide what restarts. Others are of no interest here. */
const table = {
  ...{ ...restartOptionTable, ...appearanceOptionTable, ...selectionOptionTable },
  ...{ ...annotationOptionTable, ...settleOptionTable, ...gateOptionTable, dryRun: dryRunRow },
  webhookUrl: { flag: 'webhook-url', schema: z.string().optional(), describe: '', accepts: '' },
} satisfies OptionTable;

const reconcilers = 'app.kubernetes.io/component=reconciler';

/** Reads the flags of the reconciler from its Deployment in Reroll's namespace. */
export async function readInstall(client: KubeClient, namespace: string, limits: RequestLimits): Promise<Install> {
  const { resource } = workloadKind('Deployment');
  const seen: Seen<readonly unknown[]> = await look(
    listObjects(client, resource, namespace, { ...limits, labelSelector: reconcilers }),
  );
  const [deployment] = seen.is === 'there' ? seen.value : [];
  return deployment === undefined ? assumedInstall : installOf(deployment);
}

/** The flags of a Deployment. One that does not parse does not run, so the defaults are as good as any. */
export function installOf(deployment: unknown): Install {
  const containers = containersOf(deployment);
  const container = containers.find((each) => argsOf(each).includes('reconciler')) ?? containers[0] ?? {};
  const env = knownVariables(variablesOf(deployment, container));
  try {
    return install(parseOptions(table, knownFlags(argsOf(container), table), env), true);
  } catch {
    return assumedInstall;
  }
}

function install(values: OptionValues<typeof table>, isKnown: boolean): Install {
  const { settleMs, reloadOnCreate, reloadOnDelete, dryRun, webhookUrl } = values;
  const { scope } = scopeOf(values);
  return {
    ...{ isKnown, reloadOnCreate, reloadOnDelete, dryRun, settleMs },
    settleMaxMs: settleMaxOf(settleMs, values.settleMaxMs),
    gates: gatesOf(values),
    callsInstead: webhookUrl !== undefined,
    settings: {
      keys: annotationKeysOf(values),
      policy: { autoReloadAll: values.autoReloadAll, ignoredWorkloadKinds: ignoredWorkloadKindsOf(values) },
      selection: {
        ...{ namespaces: values.namespaces, ...scope },
        ...{ sourceSelector: values.sourceSelector, ignoredSourceKinds: values.ignoredSourceKinds },
      },
      csi: values.csi,
    },
  };
}

const assumedInstall = install(parseOptions(table, [], {}), false);

/** The containers in the pod template of a Deployment. */
export function containersOf(deployment: unknown): readonly JsonObject[] {
  return listOf(fieldAt(deployment, ['spec', 'template', 'spec', 'containers'])).map(objectOf);
}

export function argsOf({ args }: JsonObject): readonly string[] {
  return listOf(args).flatMap((arg) => textOf(arg) ?? []);
}

/** The variables of a container, as far as its Deployment tells their values: as a text, or as the namespace of its pods. */
export function variablesOf(deployment: unknown, { env }: JsonObject): Environment {
  const namespace = textOf(fieldAt(deployment, ['metadata', 'namespace']));
  const variables = listOf(env).map(objectOf);
  return Object.fromEntries(
    variables.map(({ name, value, valueFrom }) => {
      const isNamespace = fieldAt(valueFrom, ['fieldRef', 'fieldPath']) === 'metadata.namespace';
      return [textOf(name) ?? '', isNamespace ? namespace : textOf(value)];
    }),
  );
}

/** Leaves out the flags of other tables, and their values. */
export function knownFlags(args: readonly string[], known: OptionTable): readonly string[] {
  const rows = Object.values<OptionTable[string]>(known);
  return args.flatMap((arg, index) => {
    const [, flag = ''] = /^--?([^=]+)/.exec(arg) ?? [];
    const row = rows.find((each) => each.flag === flag);
    if (!row) return [];
    const next = args[index + 1];
    if (arg.includes('=') || next === undefined) return [arg];
    // A switch is followed by its value only if that is one, as the reconciler reads it.
    const isAlone = row.form === 'switch' && !row.schema.safeParse(next).success;
    return isAlone ? [arg] : [`${arg}=${next}`];
  });
}

function knownVariables(env: Environment): Environment {
  const known = Object.values<OptionTable[string]>(table).flatMap((row) => [optionEnv(row), row.fallbackEnv]);
  return Object.fromEntries(Object.entries(env).filter(([variable]) => known.includes(variable)));
}
