import { sameJson, without, type JsonObject } from './json';
import type { KubeObject } from './objects';
import type { ResourceKind } from './resources';

/** metadata.generation of a new object. */
export function firstGeneration(kind: ResourceKind): { readonly generation?: number } {
  return kind.generation === 'never' ? {} : { generation: 1 };
}

/**
 * metadata.generation after an update: one higher if the desired state changed. A Deployment's annotations count as
 * desired state, because its controller copies them to ReplicaSets (registry/apps/deployment/strategy.go).
 */
export function nextGeneration(
  kind: ResourceKind,
  current: KubeObject,
  next: KubeObject,
): { readonly generation?: number } {
  const { generation } = current.metadata;
  if (kind.generation === 'never' || generation === undefined) return {};
  const changed =
    !sameJson(desired(current), desired(next)) ||
    (kind.generation === 'spec-and-annotations' &&
      !sameJson(current.metadata.annotations ?? {}, next.metadata.annotations ?? {}));
  return { generation: changed ? generation + 1 : generation };
}

function desired(object: KubeObject): JsonObject {
  return without(object, 'apiVersion', 'kind', 'metadata', 'status');
}
