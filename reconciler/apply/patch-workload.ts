import { ownAnnotations } from '../../shared/domain/annotations/annotations';
import { fieldAt, objectOf } from '../../shared/domain/kubernetes/json-value';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { type KubeObject, patchObject, type PatchOptions, type StoredVersion } from '../../shared/kube/client/objects';
import type { WrittenVersion } from '../workloads/workload-entry';
import { isRbacForbidden } from '../../shared/kube/client/permission-probe';
import type { Applied, Apply, ApplyContext, Restart } from './restart';
import { missingOfMarker, templatePatch } from './template';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { RerollError } from '../../shared/domain/errors';

/** The API server stored a restart, or would store it, in a form that does not replace the pods. */
export class MarkerLostError extends RerollError {
  /** The version that was stored; undefined: none was, or what it records is what was recorded before. */
  readonly resourceVersion: string | undefined;

  /** `missing`: the part of the restart that is missing. */
  constructor({ record }: TrackedWorkload, missing: string, resourceVersion: string | undefined) {
    super(
      `${record.kind} ${record.namespace}/${record.name} is not restarted: the API server accepts the write without ${missing}, ` +
        'so something that changes writes, such as a mutating webhook, removes it. Make it keep what field manager reroll ' +
        'writes, or choose another way to restart with reroll.dev/strategy',
      { code: 'MARKER_LOST' },
    );
    this.resourceVersion = resourceVersion;
  }
}

/**
 * One PATCH changes pod template and baseline together. One is never stored without the other, so neither a crash nor a
 * retry can restart twice or forget a restart. Throws a ConflictError if the workload was changed meanwhile.
 */
export async function patchWorkload(context: ApplyContext, restart: Restart): Promise<Applied> {
  const template = templatePatch(restart.marker, restart.workload.record.containerOrder);
  const { pausedUntilMs } = restart;
  const spec = { template, ...(pausedUntilMs !== undefined && { paused: true }) };
  const stored = await patchTemplate(context, restart.workload, restart, spec);
  return { kind: 'written', did: didOfPatch(restart), stored };
}

/** What a PATCH of the template did, to complete "the workload was …". */
export function didOfPatch({ pausedUntilMs }: Pick<Restart, 'pausedUntilMs'>): string {
  return pausedUntilMs === undefined
    ? 'restarted'
    : `changed, and paused until ${new Date(pausedUntilMs).toISOString()}`;
}

/**
 * Writes only annotations and leaves the pods alone. Resolves to what was stored, or to undefined if Reroll may not
 * write them: their content must then be kept in memory.
 */
export async function annotateWorkload(
  context: ApplyContext,
  workload: TrackedWorkload,
  annotations: Readonly<Record<string, string | null>>,
): Promise<WrittenVersion | undefined> {
  try {
    return recordedIn(context, workload, annotations, await send(context, workload, annotations, {}, {}));
  } catch (error) {
    if (!context.onAnnotationsRefused || !isRbacForbidden(error)) throw error;
    context.onAnnotationsRefused(workload.record.kind, error);
    return undefined;
  }
}

/** Writes a restart that changes the pod template. Resolves to what was stored; throws like {@link patchRestart}. */
export async function patchTemplate(
  context: ApplyContext,
  workload: TrackedWorkload,
  restart: Restart,
  spec: object,
): Promise<WrittenVersion> {
  const { templatePath } = workloadKind(workload.record.kind);
  return await patchRestart(context, workload, restart, spec, (stored) =>
    missingOfMarker(objectOf(fieldAt(stored, templatePath)), restart.marker),
  );
}

/**
 * Writes a restart and checks in the answer that nothing on the way removed a part of it. `missing` names a part that
 * is not there. Resolves to what was stored; throws a MarkerLostError.
 */
export async function patchRestart(
  context: ApplyContext,
  workload: TrackedWorkload,
  { annotations, asksFirst = false }: Restart,
  spec: object,
  missing: (stored: KubeObject) => string | undefined,
): Promise<WrittenVersion> {
  if (asksFirst) {
    const lost = missing(await send(context, workload, annotations, { spec }, { whole: true, dryRun: true }));
    if (lost !== undefined) throw new MarkerLostError(workload, lost, undefined);
  }
  const stored = await send(context, workload, annotations, { spec }, { whole: true });
  const lost = missing(stored);
  if (lost !== undefined) throw new MarkerLostError(workload, lost, versionToTakeBack(workload, annotations, stored));
  return recordedIn(context, workload, annotations, stored);
}

/**
 * The version that was stored, unless it still has the former record. That says already that the restart is owed, and a
 * newer record to the same effect would count more than one that comes with somebody else's write.
 */
function versionToTakeBack(
  { record }: TrackedWorkload,
  annotations: Readonly<Record<string, string | null>>,
  { metadata }: KubeObject,
): string | undefined {
  const { baseline, lastRestart } = ownAnnotations;
  const stored = metadata.annotations ?? {};
  const isAsBefore = stored[baseline] === record.baselineText && stored[lastRestart] !== annotations[lastRestart];
  return isAsBefore ? undefined : metadata.resourceVersion;
}

/**
 * What the answer to a write says was stored. If it lacks the baseline that was written, an older one is stored, or none,
 * which would tell the next leader that a restart is owed.
 */
function recordedIn(
  { onBaselineLost }: ApplyContext,
  workload: TrackedWorkload,
  annotations: Readonly<Record<string, string | null>>,
  { metadata }: KubeObject,
): WrittenVersion {
  const written = annotations[ownAnnotations.baseline];
  if (typeof written !== 'string' || metadata.annotations?.[ownAnnotations.baseline] === written) return metadata;
  onBaselineLost?.(workload);
  return { ...metadata, lacksBaseline: true };
}

/** Sends one PATCH. `null` removes an annotation; `rest` is what else it changes. Resolves to what was stored. */
export async function patch(
  context: ApplyContext,
  workload: TrackedWorkload,
  annotations: Readonly<Record<string, string | null>>,
  rest: object,
): Promise<StoredVersion> {
  return (await send(context, workload, annotations, rest, {})).metadata;
}

async function send(
  { client, assertLeading }: ApplyContext,
  { record }: TrackedWorkload,
  annotations: Readonly<Record<string, string | null>>,
  rest: object,
  options: Pick<PatchOptions, 'whole' | 'dryRun'>,
): Promise<KubeObject> {
  const { kind, namespace, name, uid, resourceVersion } = record;
  const body = { metadata: { uid, resourceVersion, annotations }, ...rest };
  const { resource, patchType: type } = workloadKind(kind);
  assertLeading();
  return await patchObject(client, resource, namespace, name, body, { ...options, type });
}

export const leftToNextRun = 'not run now: the change takes effect at its next run';

/** Records the change and runs nothing: the next run reads the content of that time. */
export const leaveToNextRun: Apply = async (context, { workload, annotations }) => {
  const stored = await annotateWorkload(context, workload, annotations);
  return { kind: 'written', did: leftToNextRun, stored };
};
