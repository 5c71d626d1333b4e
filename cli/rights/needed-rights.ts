import { workloadKind, workloadKinds, type WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { installHoldName } from '../../shared/domain/annotations/annotations';
import { budgets } from '../../shared/domain/budgets';
import { historyName } from '../../shared/domain/protocol/history';
import { parseGoBool } from '../../shared/domain/text/go-bool';
import { watchedSourceKinds } from '../../shared/domain/lint/lint-subject';
import {
  configMaps,
  events,
  leases,
  mutatingWebhookConfigurations,
  namespaces as namespaceResource,
  secrets,
  services,
  validatingWebhookConfigurations,
  type Resource,
} from '../../shared/kube/resource';
import { secretProviderClasses, secretProviderClassPodStatuses } from '../../shared/kube/sources/csi-decoder';
import { channelTlsOptionTable } from '../../shared/runtime/options/process-options';
import { installOf, type Install } from '../evidence/install';
import { flagOf, type Part } from '../parts/part';
import { rightsOf, type Right, type RightRow } from './right';

const endpointSlices = { group: 'discovery.k8s.io', plural: 'endpointslices' };
const csiResources = [secretProviderClasses, secretProviderClassPodStatuses];
const registrations = [validatingWebhookConfigurations, mutatingWebhookConfigurations];

/** Resources that not every cluster serves. Where one is not served, a right to it neither helps nor hurts. */
export const addOnResources: readonly Resource[] = [
  ...workloadKinds.filter(({ optional }) => optional).map(({ resource }) => resource),
  ...csiResources,
];

const read = ['get', 'list', 'watch'];
const follow = ['list', 'watch'];

/**
 * The rights that a part needs with its flags, in an install whose reconciler watches single namespaces, or all if none is
 * named. deploy/rbac.yaml and the chart grant them, and a test compares.
 */
export function neededRights(part: Part, rerollNamespace: string, watched: readonly string[] = []): readonly Right[] {
  switch (part.component) {
    case 'reconciler':
      return rightsOf(reconcilerRows(part, rerollNamespace));
    case 'webhook':
      return rightsOf(webhookRows(part, rerollNamespace, watched));
    case 'certs':
      return rightsOf(certsRows(part, rerollNamespace));
  }
}

function reconcilerRows(part: Part, own: string): readonly RightRow[] {
  const install = installOf(part.object);
  const { settings, dryRun, callsInstead } = install;
  const { selection } = settings;
  const watched = selection.namespaces.length > 0 ? { namespaces: selection.namespaces } : {};
  // Where single namespaces are watched, the annotations of namespaces do not count.
  const readsGates = !callsInstead && selection.namespaces.length === 0;
  const asksServices = isOn(part, 'healthy-urls', false);
  const rollsBack = !callsInstead && isOn(part, 'rollback', false);
  const metaInfo = flagOf(part, { flag: 'meta-info-namespace', fallbackEnv: 'RELOADER_NAMESPACE' });
  const elsewhere: readonly RightRow[] = [
    ...sourceRows(install).map((row) => ({ ...row, ...watched })),
    ...(rollsBack ? rollbackRows(install).map((row) => ({ ...row, ...watched })) : []),
    ...(callsInstead ? [] : workloadRows(install).map((row) => ({ ...row, ...watched }))),
    // It calls the Services that health checks name by their cluster IPs.
    ...(!callsInstead && asksServices ? [{ resources: [services], verbs: ['get'], ...watched }] : []),
    { resources: [events], verbs: ['create'], ...watched },
    ...(selection.namespaceSelector.isEverything && !readsGates
      ? []
      : [{ resources: [namespaceResource], verbs: follow }]),
    ...(callsInstead ? [] : [{ resources: [configMaps], names: [installHoldName], verbs: follow, namespaces: [own] }]),
  ];
  // A dry run writes nothing, and has nothing of its own.
  if (dryRun) return elsewhere.map(withoutWrites);
  return [
    ...elsewhere,
    { resources: [leases], verbs: ['get', 'create', 'update'], namespaces: [own] },
    { resources: [secrets], verbs: [...read, 'create', 'update', 'delete'], namespaces: [own] },
    ...(metaInfo === undefined ? [] : configMapRows(metaInfo, ['reloader-meta-info'])),
    ...(isOn(part, 'history', true) ? configMapRows(own, historyNames) : []),
  ];
}

/** The namespaces that the flags of a part name; none for all. */
export function watchedNamespaces({ object }: Part): readonly string[] {
  return installOf(object).settings.selection.namespaces;
}

function isOn(part: Part, flag: string, byDefault: boolean): boolean {
  return parseGoBool(flagOf(part, { flag }) ?? String(byDefault)) === true;
}

function withoutWrites(row: RightRow): RightRow {
  return { ...row, verbs: row.verbs.filter((verb) => read.includes(verb)) };
}

function sourceRows({ settings }: Install): readonly RightRow[] {
  const kinds = watchedSourceKinds(settings);
  return [
    ...(kinds.includes('ConfigMap') ? [{ resources: [configMaps], verbs: read }] : []),
    ...(kinds.includes('Secret') ? [{ resources: [secrets], verbs: read }] : []),
    ...(kinds.includes('SecretProviderClass') ? [{ resources: csiResources, verbs: follow }] : []),
  ];
}

/** With --rollback, contents are kept beside sources, and put back. */
function rollbackRows(install: Install): readonly RightRow[] {
  return sourceRows(install)
    .filter(({ resources }) => resources.some(({ group }) => group === ''))
    .map((row) => ({ ...row, verbs: ['create', 'patch', 'delete'] }));
}

/** Jobs of CronJobs are created; Jobs are deleted and created again. */
function workloadRows({ settings }: Install): readonly RightRow[] {
  const isIgnored = (kind: WorkloadKindName): boolean => settings.policy.ignoredWorkloadKinds.includes(kind);
  const jobs = [workloadKind('Job').resource];
  return [
    ...workloadKinds
      .filter(({ kind }) => !isIgnored(kind))
      .map(({ resource }) => ({ resources: [resource], verbs: [...read, 'patch'] })),
    ...(isIgnored('Job') && isIgnored('CronJob') ? [] : [{ resources: jobs, verbs: ['create'] }]),
    ...(isIgnored('Job') ? [] : [{ resources: jobs, verbs: ['delete'] }]),
  ];
}

const historyNames = Array.from({ length: budgets.historySegments }, (_, index) => historyName(index));

function configMapRows(namespace: string, names: readonly string[]): readonly RightRow[] {
  return [
    { resources: [configMaps], names, verbs: ['get', 'update'], namespaces: [namespace] },
    { resources: [configMaps], verbs: ['create'], namespaces: [namespace] },
  ];
}

function webhookRows(part: Part, own: string, watchedByReconciler: readonly string[]): readonly RightRow[] {
  const certsSecret = flagOf(part, channelTlsOptionTable.certsSecret) ?? channelTlsOptionTable.certsSecret.default;
  const readsFiles = ['tls-dir', 'channel-tls-dir'].every((flag) => flagOf(part, { flag }) !== undefined);
  const followed = ['reroll-webhook-token', ...(readsFiles ? [] : [certsSecret])];
  const registers = flagOf(part, { flag: 'register' }) ?? 'none';
  // If its flags name none, the webhook is registered for what the reconciler watches.
  const named = watchedNamespaces(part);
  const namespaces = named.length === 0 ? watchedByReconciler : named;
  const watched = namespaces.length === 0 ? {} : { namespaces };
  return [
    { resources: [secrets], names: ['reroll-digest-key'], verbs: ['get'], namespaces: [own] },
    { resources: [secrets], names: followed, verbs: follow, namespaces: [own] },
    ...(flagOf(part, { flag: 'reconciler-address' }) === undefined
      ? [{ resources: [endpointSlices], verbs: follow, namespaces: [own] }]
      : []),
    // Schemas of content checks.
    { resources: [configMaps], verbs: ['get'], ...watched },
    ...(registers === 'none' ? [] : [{ resources: registrations, verbs: ['create', 'patch'] }]),
  ];
}

function certsRows(part: Part, own: string): readonly RightRow[] {
  const filled = ['reroll-webhook-token', ...(isOn(part, 'certificates', true) ? ['reroll-ca', 'reroll-certs'] : [])];
  const nameOf = (flag: string): readonly string[] => [flagOf(part, { flag }) ?? 'reroll'];
  const verbs = ['get', 'patch'];
  return [
    { resources: [secrets], names: filled, verbs: ['get', 'update'], namespaces: [own] },
    {
      resources: [validatingWebhookConfigurations],
      names: nameOf('validating-webhook-configuration'),
      verbs,
    },
    { resources: [mutatingWebhookConfigurations], names: nameOf('mutating-webhook-configuration'), verbs },
  ];
}
