import { gateAnnotations, installHoldName } from '../../shared/domain/annotations/annotations';
import type { InstallHold } from '../../shared/domain/gates/gate';
import { installHoldOf, installHoldSetting } from '../../shared/domain/gates/install-hold';
import { objectKey } from '../../shared/domain/kubernetes/object-key';
import { newestWriteOf } from '../../shared/domain/workloads/managed-fields';
import type { KubeClient } from '../../shared/kube/client/client';
import { getMetadata, type PartialObjectMetadata, type RequestLimits } from '../../shared/kube/client/objects';
import { configMaps } from '../../shared/kube/resource';
import { look, type Seen } from './seen';

/** @example 'you may not get configmaps in namespace reroll, so it is not known whether everything is held' */
export function whetherHeld({ right }: Extract<Seen<SeenHold>, { readonly is: 'hidden' }>): string {
  return `${right}, so it is not known whether everything is held`;
}

/** A hold, and when somebody last set it, as far as the object tells. */
export interface SeenHold extends InstallHold {
  readonly sinceMs: number | undefined;
}

/** The hold of everything, whether it is over or not, as the ConfigMap in Reroll's namespace says. */
export async function readInstallHold(
  client: KubeClient,
  rerollNamespace: string,
  limits: RequestLimits,
): Promise<Seen<SeenHold>> {
  const seen = await look(getMetadata(client, configMaps, rerollNamespace, installHoldName, limits));
  if (seen.is !== 'there') return seen;
  const hold = installHoldOf(installHoldSetting(seen.value), objectKey(rerollNamespace, installHoldName));
  return hold ? { is: 'there', value: { ...hold, sinceMs: sinceMs(seen.value) } } : { is: 'absent' };
}

/** It may hold since its creation, or since its annotation was written. */
function sinceMs(object: PartialObjectMetadata): number | undefined {
  const write = newestWriteOf(object, [['metadata', 'annotations', gateAnnotations.hold]]);
  const createdMs = Date.parse(object.metadata.creationTimestamp ?? '');
  return write?.timeMs ?? (Number.isNaN(createdMs) ? undefined : createdMs);
}
