import type { ApiServer } from '../api-server';
import { writeBy } from '../registry';
import { namespaceKind } from '../resources';
import type { WriteRecord } from '../store';
import type { Controller } from './controller';

const user = 'system:serviceaccount:kube-system:namespace-controller';

/** Deletes everything in a namespace that is being deleted, and then the namespace. */
export class NamespaceController implements Controller {
  readonly name = 'namespace-controller';
  readonly #server: ApiServer;

  constructor(server: ApiServer) {
    this.#server = server;
  }

  keyFor({ type, kind, key, object }: WriteRecord): string | undefined {
    if (kind === namespaceKind) return type === 'DELETED' ? undefined : key;
    // Each deleted object may have been the last one in its namespace.
    return type === 'DELETED' ? object.metadata.namespace : undefined;
  }

  async reconcile(name: string): Promise<void> {
    const { store, registry, kinds } = this.#server;
    const namespace = store.get(namespaceKind, name);
    if (namespace?.metadata.deletionTimestamp === undefined) return;
    const context = writeBy(user, 'kube-controller-manager', 'deletecollection');
    let left = 0;
    for (const kind of kinds.filter((row) => row.namespaced)) {
      for (const object of [...store.list(kind)].filter(({ metadata }) => metadata.namespace === name)) {
        const { gone } = await registry.delete(context, kind, name, object.metadata.name, {
          propagationPolicy: 'Background',
        });
        if (!gone) left += 1;
      }
    }
    if (left === 0) store.remove(namespaceKind, namespace, { ...context, verb: 'update' });
  }
}
