import { numberAt, objectAt, textOf, withValueAt, type JsonObject } from './json';
import type { KubeObject } from './objects';

/** The autoscaling/v1 Scale of a workload. */
export function scaleOf(object: KubeObject): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const labels = Object.entries(objectAt(object, 'spec', 'selector', 'matchLabels'));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: numberAt(object, 'spec', 'replicas') ?? 0 },
    status: {
      replicas: numberAt(object, 'status', 'replicas') ?? 0,
      selector: labels.map(([key, value]) => `${key}=${textOf(value)}`).join(','),
    },
  };
}

/** The workload with the replicas of a written Scale, guarded by the Scale's resourceVersion. */
export function withScale(object: KubeObject, scale: JsonObject): JsonObject {
  const scaled = withValueAt(object, ['spec', 'replicas'], numberAt(scale, 'spec', 'replicas') ?? 0);
  return withValueAt(scaled, ['metadata', 'resourceVersion'], objectAt(scale, 'metadata')['resourceVersion']);
}
