import type { ApiServer } from '../api-server';
import type { KubeObject } from '../objects';
import { writeBy, type WriteContext } from '../registry';
import type { PropagationPolicy } from '../stored-object';
import type { ResourceKind } from '../resources';
import { StatusError } from '../status';
import { storeKey, type WriteRecord } from '../store';
import type { Controller } from './controller';

const user = 'system:serviceaccount:kube-system:generic-garbage-collector';

/** Deletes objects that lost their last owner, and finishes foreground and orphan deletes. Its keys are uids. */
export class GarbageCollector implements Controller {
  readonly name = 'generic-garbage-collector';
  readonly #server: ApiServer;
  readonly #subjects = new Map<string, { readonly kind: ResourceKind; readonly object: KubeObject }>();

  constructor(server: ApiServer) {
    this.#server = server;
  }

  keyFor({ type, kind, object, previous }: WriteRecord): string | undefined {
    const { uid, deletionTimestamp, ownerReferences = [] } = object.metadata;
    const concerns =
      type === 'DELETED' || deletionTimestamp !== undefined || (previous === undefined && ownerReferences.length > 0);
    if (!concerns) return undefined;
    this.#subjects.set(uid, { kind, object });
    return uid;
  }

  async reconcile(uid: string): Promise<void> {
    const subject = this.#subjects.get(uid);
    if (subject === undefined) return;
    const { kind, object } = subject;
    const current = this.#server.store.get(kind, storeKey(object.metadata.namespace, object.metadata.name));
    if (current?.metadata.uid !== uid) {
      this.#subjects.delete(uid);
      await this.#deleteChildren(uid);
      await this.#lookAtOwners(object);
      return;
    }
    const finalizers = current.metadata.finalizers ?? [];
    if (current.metadata.deletionTimestamp === undefined) await this.#deleteIfOrphaned(kind, current);
    else if (finalizers.includes('orphan')) await this.#orphanChildren(kind, current);
    else if (finalizers.includes('foregroundDeletion')) await this.#deleteInForeground(kind, current);
  }

  async #deleteChildren(ownerUid: string): Promise<void> {
    for (const child of this.#server.children.all(ownerUid)) await this.#deleteIfOrphaned(child.kind, child.object);
  }

  /** Reconciles the owners of a deleted child: an owner in foreground deletion may have been waiting for it. */
  async #lookAtOwners(child: KubeObject): Promise<void> {
    for (const owner of child.metadata.ownerReferences ?? []) {
      if (this.#subjects.has(owner.uid)) await this.reconcile(owner.uid);
    }
  }

  async #deleteIfOrphaned(kind: ResourceKind, { metadata }: KubeObject): Promise<void> {
    const owners = metadata.ownerReferences ?? [];
    const alive = owners.some((owner) => {
      const ownerKind = this.#server.kinds.find((row) => row.kind === owner.kind);
      if (ownerKind === undefined) return true;
      const namespace = ownerKind.namespaced ? metadata.namespace : undefined;
      return this.#server.store.get(ownerKind, storeKey(namespace, owner.name))?.metadata.uid === owner.uid;
    });
    if (!alive && owners.length > 0) await this.#delete(kind, metadata.namespace, metadata.name);
  }

  async #orphanChildren(kind: ResourceKind, owner: KubeObject): Promise<void> {
    for (const child of this.#server.children.all(owner.metadata.uid)) {
      const { namespace, name } = child.object.metadata;
      await this.#server.registry.update(this.#context('patch'), child.kind, namespace, name, (current) => {
        const others = (current.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
        return { object: { ...current, metadata: { ...current.metadata, ownerReferences: others } } };
      });
    }
    await this.#dropFinalizer(kind, owner, 'orphan');
  }

  async #deleteInForeground(kind: ResourceKind, owner: KubeObject): Promise<void> {
    for (const child of this.#server.children.all(owner.metadata.uid)) {
      const { namespace, name, deletionTimestamp } = child.object.metadata;
      if (deletionTimestamp === undefined) await this.#delete(child.kind, namespace, name, 'Foreground');
    }
    if (this.#server.children.all(owner.metadata.uid).length === 0)
      await this.#dropFinalizer(kind, owner, 'foregroundDeletion');
  }

  async #dropFinalizer(kind: ResourceKind, { metadata }: KubeObject, finalizer: string): Promise<void> {
    await this.#server.registry.update(this.#context('patch'), kind, metadata.namespace, metadata.name, (current) => {
      const finalizers = (current.metadata.finalizers ?? []).filter((name) => name !== finalizer);
      return { object: { ...current, metadata: { ...current.metadata, finalizers } } };
    });
  }

  async #delete(
    kind: ResourceKind,
    namespace: string | undefined,
    name: string,
    propagationPolicy: PropagationPolicy = 'Background',
  ): Promise<void> {
    try {
      await this.#server.registry.delete(this.#context('delete'), kind, namespace, name, { propagationPolicy });
    } catch (error) {
      // It was already deleted by someone else.
      if (!(error instanceof StatusError && error.code === 404)) throw error;
    }
  }

  #context(verb: string): WriteContext {
    return writeBy(user, 'kube-controller-manager', verb);
  }
}
