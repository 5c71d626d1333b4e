import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { formatBaseline, type Baseline } from '../../shared/domain/baseline/baseline';
import { fieldAt, objectOf } from '../../shared/domain/kubernetes/json-value';
import { readWorkload } from '../../shared/domain/workloads/workload';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { bodyOf, clientWorld, type ClientWorld } from '../../shared/kube/client/client.fixture';
import type { Reply } from '../../shared/kube/transport/fake-transport';
import type { KubeObject } from '../../shared/kube/client/objects';
import type { HttpRequest } from '../../shared/kube/transport';
import { blue, changeOf } from '../../shared/domain/plan/change.fixture';
import {
  at,
  digester,
  workloadObject,
  workloadRecord,
  type WorkloadOptions,
} from '../../shared/domain/plan/records.fixture';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { NotLeadingError, type ApplyContext, type Restart } from './restart';
import { markTemplate } from './template';

export const restartId = 'c0ffee00';

export function baselineOf(sequence: number, whole = blue): Baseline {
  return { sequence, keyId: digester.keyId, sources: new Map([['cm/app', whole]]) };
}

export function restartOf(options: WorkloadOptions = {}, restart: Partial<Restart> = {}): Restart {
  const record = workloadRecord(options);
  const workload: TrackedWorkload = {
    key: `${record.kind}/${record.namespace}/${record.name}`,
    record,
    baseline: undefined,
    baselineProblem: undefined,
    baselineLost: false,
    referencedSinceMs: record.createdAtMs,
    ...{ unwritten: false, referencedSinceVersion: '10', shownSince: new Map(), unrecordedSince: new Map() },
  };
  const baseline = baselineOf(2);
  return {
    id: restartId,
    atMs: at(60.5),
    workload,
    ...{ changes: [changeOf()], changeIds: [changeOf().changeId], earlierChangeIds: [] },
    baseline,
    strategy: 'env-vars',
    marker: {
      annotations: {},
      env: [{ container: 'main', name: 'STAKATER_APP_CONFIGMAP', value: `${blue}.${restartId}` }],
    },
    annotations: { 'reroll.dev/baseline': formatBaseline(baseline), 'reroll.dev/last-restart': '{"id":"c0ffee00"}' },
    ...restart,
  };
}

/** A workload as in the API server's answer to its restart, with the marker. */
export function restarted(options: WorkloadOptions, { marker }: Pick<Restart, 'marker'>): KubeObject {
  const object = workloadObject(options);
  const template = markTemplate(objectOf(fieldAt(object, ['spec', 'template'])), marker);
  return { ...object, spec: { ...objectOf(object['spec']), template } };
}

/** Decodes a workload with the settings that {@link restartOf} assumes. */
export const read: ApplyContext['read'] = (kind, object) =>
  readWorkload(workloadKind(kind), object, defaultAnnotationKeys, { autoReloadAll: false, ignoredWorkloadKinds: [] });

export type ApplyWorld = ClientWorld & { readonly context: ApplyContext; leading: boolean };

/**
 * An API server whose answers are a function, and a lease that the test can take away. The answer to a PATCH also has the
 * annotations that were written, unless something `strips` them.
 */
export function applyWorld(
  handler: (request: HttpRequest, index: number) => Reply,
  { strips = false }: { readonly strips?: boolean } = {},
): ApplyWorld {
  const base = clientWorld((request, index) => {
    const reply = handler(request, index);
    return strips ? reply : withWritten(request, reply);
  });
  const world: ApplyWorld = {
    ...base,
    leading: true,
    context: {
      client: base.client,
      assertLeading: () => {
        if (!world.leading) throw new NotLeadingError();
      },
      read,
    },
  };
  return world;
}

function withWritten(request: HttpRequest, reply: Reply): Reply {
  const stored = objectOf(reply.body);
  if (request.method !== 'PATCH' || stored['metadata'] === undefined) return reply;
  const metadata = objectOf(stored['metadata']);
  const written = objectOf(objectOf(objectOf(bodyOf(request))['metadata'])['annotations']);
  const annotations = { ...objectOf(metadata['annotations']), ...written };
  const kept = Object.fromEntries(Object.entries(annotations).filter(([, value]) => value !== null));
  return { ...reply, body: { ...stored, metadata: { ...metadata, annotations: kept } } };
}
