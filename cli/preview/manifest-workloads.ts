import { annotationsOf } from '../../shared/domain/annotations/annotations';
import { fieldAt, objectOf, textOf, type JsonObject } from '../../shared/domain/kubernetes/json-value';
import { findWorkloadKind, type WorkloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { workloadKey } from '../../shared/domain/plan/tracked-workload';
import { readWorkload, type WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { KubeClient } from '../../shared/kube/client/client';
import { getObject, type KubeObject, type RequestLimits } from '../../shared/kube/client/objects';
import type { Install } from '../evidence/install';
import { lookAtKind } from '../evidence/seen-kind';
import type { Manifest } from '../manifests/manifests';
import { lastApplied, mergedFields } from './source-object';
import { changesTemplate } from './template-difference';

/** A workload of the manifests that is in the cluster. */
export interface ManifestWorkload {
  readonly before: WorkloadRecord;
  readonly after: WorkloadRecord;
  /** Its pod template changes too, so all its pods are replaced without Reroll. */
  readonly rollsOut: boolean;
}

export interface ManifestWorkloads {
  readonly workloads: readonly ManifestWorkload[];
  readonly missingRights: readonly string[];
}

/** Reads the stored workloads of the manifests. New ones have no pods yet, so nothing restarts them. */
export async function readManifestWorkloads(
  client: KubeClient,
  manifests: readonly Manifest[],
  install: Install,
  limits: RequestLimits,
): Promise<ManifestWorkloads> {
  const found = await Promise.all(
    workloadsIn(manifests).map(async ({ kind, namespace, name, object }) => {
      const reading = getObject(client, kind.resource, namespace, name, limits);
      const seen = await lookAtKind(client, kind.resource, reading, limits);
      if (seen.is === 'hidden') return { missingRight: seen.right };
      return seen.is === 'there' ? { workload: manifestWorkload(kind, seen.value, object, install) } : {};
    }),
  );
  return {
    workloads: found.flatMap(({ workload }) => workload ?? []),
    missingRights: [...new Set(found.flatMap(({ missingRight }) => missingRight ?? []))],
  };
}

interface FoundWorkload {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  readonly object: unknown;
}

/** If a workload is there twice, the later one is applied last. */
function workloadsIn(manifests: readonly Manifest[]): readonly FoundWorkload[] {
  const found = manifests.flatMap(({ group, kind: kindName, namespace, object }) => {
    const kind = findWorkloadKind(group, kindName);
    const name = textOf(fieldAt(object, ['metadata', 'name']));
    if (!kind || name === undefined) return [];
    return [[workloadKey(kind.kind, namespace, name), { kind, namespace, name, object }] as const];
  });
  return [...new Map<string, FoundWorkload>(found).values()];
}

function manifestWorkload(
  kind: WorkloadKind,
  live: KubeObject,
  manifest: unknown,
  { settings: { keys, policy } }: Install,
): ManifestWorkload {
  const last = lastApplied(live);
  const written = annotationsOf(manifest);
  const annotations = last ? mergedFields(annotationsOf(live), annotationsOf(last), written) : written;
  const after = withTemplate({ ...live, metadata: { ...live.metadata, annotations } }, kind.templatePath, manifest);
  return {
    before: readWorkload(kind, live, keys, policy),
    after: readWorkload(kind, after, keys, policy),
    rollsOut: coalescesRestarts(kind, live) && changesTemplate(kind.templatePath, { manifest, live, last }),
  };
}

function withTemplate(live: JsonObject, [field = '', ...rest]: readonly string[], manifest: unknown): JsonObject {
  const written = fieldAt(manifest, [field]);
  if (written === undefined) return live;
  const value = rest.length === 0 ? written : withTemplate(objectOf(live[field]), rest, written);
  return { ...live, [field]: value };
}

/** Whether a new template replaces all pods of a workload by itself, so that a restart coalesces with that rollout. */
function coalescesRestarts({ kind }: WorkloadKind, live: unknown): boolean {
  switch (kind) {
    case 'Deployment':
      return fieldAt(live, ['spec', 'paused']) !== true;
    case 'StatefulSet': {
      const partition = fieldAt(live, ['spec', 'updateStrategy', 'rollingUpdate', 'partition']);
      return !isReplacedByHand(live) && (partition === undefined || partition === 0);
    }
    case 'DaemonSet':
      return !isReplacedByHand(live);
    default:
      return false;
  }
}

function isReplacedByHand(live: unknown): boolean {
  return fieldAt(live, ['spec', 'updateStrategy', 'type']) === 'OnDelete';
}
