import { workloadKind, workloadKinds, type WorkloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { printable } from '../../shared/domain/text/printable';
import type { KubeClient } from '../../shared/kube/client/client';
import { getMetadata, type KubeObject } from '../../shared/kube/client/objects';
import { namespaces } from '../../shared/kube/resource';
import { look } from '../evidence/seen';
import type { FoundObject } from '../manifests/manifests';
import { readClusterSources } from './cluster-sources';
import type { DifferenceCode } from './difference-codes';
import type { MigrationSettings } from './migrate-options';
import type { MigrateReport, ReportedDifference } from './migrate-report';
import { differencesOf, reportedDifference, type Surroundings } from './object-differences';
import { readPages, type PageLimits } from './read-pages';
import { readRolloutRefs } from './rollout-refs';

/** What only manifests show: in a cluster, markers are where they belong, and nobody sees what a release renders. */
const onlyInManifests: readonly DifferenceCode[] = ['reloader-marker', 'checksum-alone'];

/** Finds what is different for the workloads of a cluster, or of one namespace. @throws KubeError */
export async function migrateCluster(
  client: KubeClient,
  settings: MigrationSettings,
  limits: PageLimits,
): Promise<MigrateReport> {
  const { sources, missingRights } = await readClusterSources(client, settings, limits);
  const rollouts = await readRollouts(client, settings, limits);
  const surroundings = { settings, sources, rolloutRefs: rollouts.refs };
  const missing = new Set([...missingRights, ...rollouts.missingRights]);
  const findings: ReportedDifference[] = [];
  let [objects, workloads, ready] = [0, 0, 0];
  for (const kind of workloadKinds) {
    const right = await readPages(client, kind.resource, limits, (page) => {
      objects += page.length;
      for (const object of page) {
        const found = reported(kind, object, surroundings);
        if (!found) continue;
        workloads++;
        if (found.length === 0) ready++;
        findings.push(...found);
      }
    });
    if (right !== undefined) missing.add(right);
  }
  const isNoNamespace = objects === 0 && (await isMissing(client, limits));
  const messages = [
    ...[...missing].map((right) => `${printable(right)}: those are missing here`),
    ...(isNoNamespace ? [`there is no namespace ${printable(limits.namespace ?? '')}`] : []),
  ];
  const errors = messages.map((message) => ({ file: 'cluster', message }));
  const summary = { files: 0, objects, workloads, ready, findings: findings.length, errors: errors.length };
  return { version: 1, summary, findings, errors };
}

/** Whether the namespace does not exist: its lists are empty then, and nothing else tells. */
async function isMissing(client: KubeClient, { namespace, timeoutMs }: PageLimits): Promise<boolean> {
  if (namespace === undefined) return false;
  const seen = await look(getMetadata(client, namespaces, undefined, namespace, { timeoutMs }));
  return seen.is === 'absent';
}

/** Undefined for a Job that a CronJob made: what is found for the CronJob covers all of them. */
function reported(
  kind: WorkloadKind,
  object: KubeObject,
  surroundings: Surroundings,
): readonly ReportedDifference[] | undefined {
  const found = foundObject(kind, object);
  const owners = fieldAt(object, ['metadata', 'ownerReferences']);
  const isOfCronJob = Array.isArray(owners) && owners.some((owner) => fieldAt(owner, ['kind']) === 'CronJob');
  if (kind.kind === 'Job' && isOfCronJob) return undefined;
  return differencesOf(found, surroundings)
    ?.filter(({ code }) => !onlyInManifests.includes(code))
    .map(({ code, advice }) => reportedDifference(found, code, advice));
}

async function readRollouts(client: KubeClient, settings: MigrationSettings, limits: PageLimits) {
  const kind = workloadKind('Rollout');
  const refs = new Map<string, string>();
  const right = await readPages(client, kind.resource, limits, (page) => {
    const read = readRolloutRefs(
      page.map((object) => foundObject(kind, object)),
      settings,
    );
    for (const [deployment, rollout] of read) refs.set(deployment, rollout);
  });
  return { refs, missingRights: right === undefined ? [] : [right] };
}

/** Lists leave out the kind of their items. */
function foundObject({ kind, resource: { group, version } }: WorkloadKind, object: KubeObject): FoundObject {
  const { namespace = '' } = object.metadata;
  return { apiVersion: `${group}/${version}`, group, kind, namespace, object };
}
