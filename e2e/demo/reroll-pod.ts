import type { ObjectInput } from '../apiserver/objects';

/** The pod in which the reconciler of the demo says that it runs, so that the Lease names it. */
export const rerollPodName = 'reroll-0';

/** That pod as an object. Its container is the reconciler's process. */
export function rerollPod(namespace: string): ObjectInput {
  return {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: rerollPodName, namespace } },
    spec: { containers: [{ name: 'reroll', image: 'reroll' }] },
  };
}
