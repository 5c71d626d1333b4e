import type { Clock } from '../../shared/runtime/clock';
import type { Random } from '../../shared/runtime/random';
import { admit, type AdmissionHook, type AdmissionRequest } from './admission';
import { applyDefaults } from './defaulting';
import { firstGeneration, nextGeneration } from './generation';
import { type JsonObject, objectAt, sameJson, stringAt, without } from './json';
import { fieldsAfterUpdate } from './managed-fields';
import { type KubeObject, type ManagedFieldsEntry, timestamp } from './objects';
import { generatedName } from './object-names';
import type { Quota } from './quota';
import { namespaceKind, type ResourceKind } from './resources';
import { alreadyExists, conflict, forbidden, invalid, notFound, StatusError } from './status';
import { type Store, storeKey, type WriteOrigin } from './store';
import {
  allowedChange,
  asStored,
  clientMetadata,
  markDeleted,
  newUid,
  type PropagationPolicy,
  serverMetadata,
  typed,
  withJobSelector,
} from './stored-object';
import {
  checkDeletePreconditions,
  checkedMetadata,
  checkNamespace,
  type Preconditions,
  requireValid,
} from './write-checks';

/** Who writes and how. */
export interface WriteContext extends WriteOrigin {
  readonly dryRun: boolean;
  readonly subresource?: 'status' | 'scale' | undefined;
  /** Collects the warnings from admission for the user. */
  readonly warnings: string[];
}

/** The context of a write by a program inside the cluster, such as a controller. */
export function writeBy(user: string, manager: string, verb: string, subresource?: 'status'): WriteContext {
  return { user, manager, verb, subresource, dryRun: false, warnings: [] };
}

/** The outcome of a change to the current object. Server-side apply computes `managedFields` itself and sets them. */
export interface Candidate {
  readonly object: JsonObject;
  readonly managedFields?: (after: KubeObject) => readonly ManagedFieldsEntry[];
}

export interface RegistryDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly quota: Quota;
  readonly admission: readonly AdmissionHook[];
}

/** How often an update is tried if other writes intervene, each time on the new state. Then it fails with 409. */
const maxUpdateAttempts = 5;

/** Creates, updates and deletes: everything between a request and the store. HTTP and controllers both use it. */
export class Registry {
  readonly #deps: RegistryDependencies;

  constructor(dependencies: RegistryDependencies) {
    this.#deps = dependencies;
  }

  /** @throws StatusError 404. */
  get(kind: ResourceKind, namespace: string | undefined, name: string): KubeObject {
    const object = this.#deps.store.get(kind, storeKey(namespace, name));
    if (object === undefined) throw notFound(kind, name);
    return object;
  }

  /** @throws StatusError 400, 403, 404 (namespace), 409 (exists) or 422. */
  async create(
    context: WriteContext,
    kind: ResourceKind,
    namespace: string | undefined,
    body: JsonObject,
    managedFields?: readonly ManagedFieldsEntry[],
  ): Promise<KubeObject> {
    const { store, random, quota } = this.#deps;
    const metadata = objectAt(body, 'metadata');
    checkNamespace(namespace, metadata);
    if (stringAt(metadata, 'resourceVersion')) {
      throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
    }
    const name = stringAt(metadata, 'name') || generatedName(random, stringAt(metadata, 'generateName'));
    this.#checkNamespaceLives(kind, namespace, name);
    const made = { ...metadata, name, ...(namespace === undefined ? {} : { namespace }) };
    const uid = newUid(random);
    const candidate = typed(kind, { ...body, metadata: made });
    const admitted = await this.#admit(context, 'CREATE', kind, namespace, name, candidate, null, uid);
    if (name === '') throw invalid(kind, '', [nameRequired]);
    const object = this.#fresh(context, kind, namespace, name, admitted, uid, managedFields);
    quota.check(store, kind, namespace, name);
    if (store.get(kind, storeKey(namespace, name)) !== undefined) throw alreadyExists(kind, name);
    return context.dryRun ? object : store.put(kind, object, context);
  }

  /** Creates synchronously, without admission and quota. Used for the objects that exist before a test begins. */
  seed(context: WriteContext, kind: ResourceKind, namespace: string | undefined, body: JsonObject): KubeObject {
    const name = stringAt(body, 'metadata', 'name') ?? '';
    const uid = newUid(this.#deps.random);
    return this.#deps.store.put(kind, this.#fresh(context, kind, namespace, name, body, uid), context);
  }

  /**
   * Changes an object. `change` may run more than once, each time on the latest state. No difference means no write.
   *
   * @throws StatusError 404, 409 if a resourceVersion or uid in the outcome is not the current one, 403 or 422.
   */
  async update(
    context: WriteContext,
    kind: ResourceKind,
    namespace: string | undefined,
    name: string,
    change: (current: KubeObject) => Candidate,
  ): Promise<KubeObject> {
    const { store } = this.#deps;
    for (let attempt = 1; ; attempt++) {
      const current = this.get(kind, namespace, name);
      const candidate = change(current);
      const wanted = checkedMetadata(kind, namespace, name, current, candidate.object);
      const proposed = applyDefaults(
        kind,
        allowedChange(context.subresource, kind, current, { ...candidate.object, metadata: wanted }),
      );
      const asked = typed(kind, proposed);
      const admitted = await this.#admit(context, 'UPDATE', kind, namespace, name, asked, current);
      if (store.get(kind, storeKey(namespace, name)) !== current) {
        if (attempt >= maxUpdateAttempts) throw conflict(kind, name);
        continue;
      }
      const outcome = admitted === asked ? asked : applyDefaults(kind, admitted);
      return this.#store(context, kind, current, outcome, candidate);
    }
  }

  /**
   * Deletes an object. If it still has finalizers, or is a Namespace, it is only marked as being deleted.
   *
   * @returns the last state, and whether it is gone.
   * @throws StatusError 404, 409 for a precondition that does not hold, 403.
   */
  async delete(
    context: WriteContext,
    kind: ResourceKind,
    namespace: string | undefined,
    name: string,
    options: { readonly propagationPolicy?: PropagationPolicy | undefined; readonly preconditions?: Preconditions },
  ): Promise<{ readonly object: KubeObject; readonly gone: boolean }> {
    const { store, clock } = this.#deps;
    await this.#admit(context, 'DELETE', kind, namespace, name, null, this.get(kind, namespace, name));
    const current = this.get(kind, namespace, name);
    checkDeletePreconditions(kind, current, options.preconditions ?? {});
    const policy = options.propagationPolicy ?? kind.defaultPropagation;
    const marked = markDeleted(kind, current, policy, timestamp(clock.nowMs()));
    const gone = (marked.metadata.finalizers ?? []).length === 0 && kind !== namespaceKind;
    if (context.dryRun) return { object: marked, gone };
    if (gone) return { object: store.remove(kind, current, context), gone };
    return { object: sameJson(marked, current) ? current : store.put(kind, marked, context), gone };
  }

  /** A new object, complete except for the resourceVersion, which the store sets. */
  #fresh(
    context: WriteContext,
    kind: ResourceKind,
    namespace: string | undefined,
    name: string,
    admitted: JsonObject,
    uid: string,
    managedFields?: readonly ManagedFieldsEntry[],
  ): KubeObject {
    const { clock } = this.#deps;
    const now = timestamp(clock.nowMs());
    const desired = kind.subresources.includes('status') ? without(admitted, 'status') : admitted;
    const defaulted = applyDefaults(kind, desired);
    const fresh = asStored(kind, defaulted, {
      ...clientMetadata(defaulted),
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion: '',
      creationTimestamp: now,
      ...firstGeneration(kind),
    });
    const object = kind.kind === 'Job' ? withJobSelector(fresh) : fresh;
    requireValid(kind, object, undefined);
    const plainStatus = !kind.subresources.includes('status');
    const writer = { manager: context.manager, operation: 'Update', subresource: undefined, plainStatus } as const;
    const owners = managedFields ?? fieldsAfterUpdate(writer, undefined, object, now);
    return { ...object, metadata: { ...object.metadata, managedFields: owners } };
  }

  #store(
    context: WriteContext,
    kind: ResourceKind,
    current: KubeObject,
    outcome: JsonObject,
    candidate: Candidate,
  ): KubeObject {
    const { store, clock } = this.#deps;
    const draft = asStored(kind, outcome, { ...clientMetadata(outcome), ...serverMetadata(current.metadata) });
    const generation = context.subresource === 'status' ? {} : nextGeneration(kind, current, draft);
    const object = { ...draft, metadata: { ...draft.metadata, ...generation } };
    requireValid(kind, object, current);
    const now = timestamp(clock.nowMs());
    const managedFields =
      candidate.managedFields?.(object) ??
      fieldsAfterUpdate(
        {
          ...{ manager: context.manager, operation: 'Update', subresource: context.subresource },
          plainStatus: !kind.subresources.includes('status'),
        },
        withGivenFields(current, outcome),
        object,
        now,
      );
    const owned = managedFields.length === 0 ? object : { ...object, metadata: { ...object.metadata, managedFields } };
    if (sameJson(owned, current)) return current;
    if (context.dryRun) return owned;
    const finished = owned.metadata.deletionTimestamp !== undefined && (owned.metadata.finalizers ?? []).length === 0;
    return finished && kind !== namespaceKind ? store.remove(kind, owned, context) : store.put(kind, owned, context);
  }

  async #admit(
    context: WriteContext,
    operation: AdmissionRequest['operation'],
    kind: ResourceKind,
    namespace: string | undefined,
    name: string,
    object: JsonObject | null,
    oldObject: JsonObject | null,
    createdUid?: string,
  ): Promise<JsonObject> {
    const { admission, random } = this.#deps;
    if (admission.length === 0) return object ?? {};
    const { user, manager, dryRun, subresource } = context;
    const uid = newUid(random);
    const what = { operation, kind, namespace, name, subresource, dryRun, object, oldObject, createdUid };
    const request = { uid, user, manager, ...what };
    const outcome = await admit(admission, request);
    if (!outcome.allowed) throw new StatusError(403, 'Forbidden', outcome.message);
    context.warnings.push(...outcome.warnings);
    return outcome.object ?? {};
  }

  #checkNamespaceLives(kind: ResourceKind, namespace: string | undefined, name: string): void {
    if (namespace === undefined) return;
    const found = this.get(namespaceKind, undefined, namespace);
    if (found.metadata.deletionTimestamp === undefined) return;
    const because = `unable to create new content in namespace ${namespace} because it is being terminated`;
    const message = `namespace ${namespace} is being terminated`;
    throw forbidden(kind, name, because, [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }]);
  }
}

const nameRequired = {
  reason: 'FieldValueRequired',
  message: 'Required value: name or generateName is required',
  field: 'metadata.name',
};

/** A client may write `managedFields`: what it omits belongs to nobody then. */
function withGivenFields(current: KubeObject, outcome: JsonObject): KubeObject {
  const given = objectAt(outcome, 'metadata')['managedFields'];
  if (!Array.isArray(given)) return current;
  return { ...current, metadata: { ...current.metadata, managedFields: given } };
}
