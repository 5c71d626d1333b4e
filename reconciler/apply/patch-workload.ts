import { workloadKind } from '../../shared/domain/workload-kinds';
import { patchObject } from '../../shared/kube/objects';
import { isRightRefused } from '../../shared/kube/refusals';
import type { ApplyContext, Applied, Restart } from './restart';
import { templatePatch } from './template';
import type { TrackedWorkload } from '../workload-index';

/**
 * One PATCH moves pod template and baseline together: there is no moment at which one is true without the other, so
 * neither a crash nor a retry can restart twice or forget. Throws a ConflictError when the workload has moved on.
 */
export async function patchWorkload(context: ApplyContext, restart: Restart): Promise<Applied> {
  const template = templatePatch(restart.marker);
  const { pausedUntilMs } = restart;
  const spec = { template, ...(pausedUntilMs !== undefined && { paused: true }) };
  const resourceVersion = await patch(context, restart.workload, restart.annotations, { spec });
  const until = pausedUntilMs === undefined ? '' : `, and paused until ${new Date(pausedUntilMs).toISOString()}`;
  return { kind: 'written', did: until === '' ? 'restarted' : `changed${until}`, resourceVersion };
}

/**
 * Writes annotations alone; the pods stay. Resolves to the new resourceVersion, or to undefined where there is no right
 * to: then what they say is to be kept in memory.
 */
export async function annotateWorkload(
  context: ApplyContext,
  workload: TrackedWorkload,
  annotations: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  try {
    return await patch(context, workload, annotations, {});
  } catch (error) {
    if (!context.onAnnotationsRefused || !isRightRefused(error)) throw error;
    context.onAnnotationsRefused(workload.record.kind, error);
    return undefined;
  }
}

/** `null` takes an annotation away; `rest` is what the PATCH changes beside annotations. Resolves to the new resourceVersion. */
export async function patch(
  { client, assertLeading }: ApplyContext,
  { record }: TrackedWorkload,
  annotations: Readonly<Record<string, string | null>>,
  rest: object,
): Promise<string> {
  const { uid, resourceVersion } = record;
  const body = { metadata: { uid, resourceVersion, annotations }, ...rest };
  const { resource, patchType: type } = workloadKind(record.kind);
  assertLeading();
  const written = await patchObject(client, resource, record.namespace, record.name, body, { type });
  return written.metadata.resourceVersion;
}
