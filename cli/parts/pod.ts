import { fieldAt, listOf, objectOf, textOf } from '../../shared/domain/kubernetes/json-value';
import type { KubeObject } from '../../shared/kube/client/objects';
import { componentOf, type Component } from './part';

/** A pod of Reroll. */
export interface Pod {
  readonly name: string;
  readonly component: Component | undefined;
  readonly isReady: boolean;
  /** Its container ports by name. */
  readonly ports: Readonly<Record<string, number>>;
}

/** Of the chart, if a pod names none. */
const reviewPort = 10_250;

/** The port on which a pod of the webhook answers API servers. */
export function reviewPortOf(pod: Pick<Pod, 'ports'> | undefined): number {
  return pod?.ports['https'] ?? reviewPort;
}

export function podOf(object: KubeObject): Pod {
  const { name, deletionTimestamp } = object.metadata;
  const conditions = listOf(fieldAt(object, ['status', 'conditions'])).map(objectOf);
  const containers = listOf(fieldAt(object, ['spec', 'containers'])).map(objectOf);
  const ports = containers.flatMap((container) => listOf(container['ports']).map(objectOf));
  return {
    name,
    component: componentOf(object, object['spec']),
    isReady:
      deletionTimestamp === undefined && conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
    ports: Object.fromEntries(
      ports.flatMap(({ name: port, containerPort }) =>
        typeof containerPort === 'number' ? [[textOf(port) ?? '', containerPort]] : [],
      ),
    ),
  };
}
