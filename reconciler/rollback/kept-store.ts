import { RerollError } from '../../shared/domain/errors';
import { contentFieldsOf } from '../../shared/domain/rollback/content-fields';
import {
  isLabelledKept,
  keptDraft,
  keptMac,
  keptObjectName,
  openKept,
  sealedAnnotations,
  type KeptContent,
  type KeptKind,
  type KeptNote,
  type KeptRole,
} from '../../shared/domain/rollback/kept-object';
import { sourceResources } from '../../shared/kube/sources/source-decoder';
import type { KubeClient } from '../../shared/kube/client/client';
import {
  createObject,
  deleteObject,
  getMetadata,
  getObject,
  patchObject,
  type KubeObject,
} from '../../shared/kube/client/objects';
import { undefinedIfNotFound } from '../../shared/kube/errors';

export interface KeptStoreOptions {
  readonly client: KubeClient;
  /** The key that only reconcilers may read. Throws KubeErrors. */
  readonly loadKey: () => Promise<Buffer>;
  /** The annotation by which a source is ignored. */
  readonly ignoreKey: string;
  /** Throws a NotLeadingError unless this process leads. Called before each write. */
  readonly assertLeading: () => void;
}

/** The contents that are kept beside a source, each in an object of the same kind. Nothing of them stays in memory. */
export class KeptStore {
  readonly #options: KeptStoreOptions;

  constructor(options: KeptStoreOptions) {
    this.#options = options;
  }

  /** `not-trusted`: there is an object of that name, and Reroll has not made it what it is. @throws KubeErrors */
  async read(role: KeptRole, kind: KeptKind, source: KubeObject): Promise<KeptContent | 'absent' | 'not-trusted'> {
    const { client, loadKey } = this.#options;
    const [resource, { namespace }] = [sourceResources[kind], source.metadata];
    const object = await getObject(client, resource, namespace, keptObjectName(role, source)).catch(
      undefinedIfNotFound,
    );
    if (!object) return 'absent';
    return openKept(await loadKey(), { role, kind, source }, object) ?? 'not-trusted';
  }

  /**
   * Keeps the content of the source as it was read, instead of an earlier one. It begins as a draft, which counts for
   * nothing: the MAC covers the uid, which the API server gives it.
   * @throws KubeErrors, NotLeadingError, NameTakenError
   */
  async write(role: KeptRole, kind: KeptKind, source: KubeObject, note: KeptNote): Promise<void> {
    const { client, ignoreKey, assertLeading } = this.#options;
    const [resource, { namespace }] = [sourceResources[kind], source.metadata];
    await this.#remove(role, kind, source);
    assertLeading();
    const draft = keptDraft({ role, kind, source, note, ignoreKey });
    const { metadata } = await createObject(client, resource, namespace, draft);
    await this.#seal(role, kind, source, note, metadata);
  }

  /** Notes something else on a kept content. @throws KubeErrors, NotLeadingError */
  async note(role: KeptRole, kind: KeptKind, source: KubeObject, kept: KeptContent, note: KeptNote): Promise<void> {
    await this.#seal(role, kind, { ...source, ...kept.fields }, note, {
      name: keptObjectName(role, source),
      uid: kept.uid,
    });
  }

  async #seal(
    role: KeptRole,
    kind: KeptKind,
    source: KubeObject,
    note: KeptNote,
    { name, uid, resourceVersion }: { readonly name: string; readonly uid: string; readonly resourceVersion?: string },
  ): Promise<void> {
    const { client, loadKey, assertLeading } = this.#options;
    // Of what was meant, and not of what is stored: admission may have changed it.
    const mac = keptMac(await loadKey(), { role, kind, source, uid, note, fields: contentFieldsOf(source) });
    const metadata = { uid, ...(resourceVersion !== undefined && { resourceVersion }) };
    const patch = { metadata: { ...metadata, annotations: sealedAnnotations(mac, note) } };
    assertLeading();
    await patchObject(client, sourceResources[kind], source.metadata.namespace, name, patch, { type: 'merge' });
  }

  /** A kept content cannot be edited, so another one needs another object. */
  async #remove(role: KeptRole, kind: KeptKind, source: KubeObject): Promise<void> {
    const { client, assertLeading } = this.#options;
    const [resource, { namespace }] = [sourceResources[kind], source.metadata];
    const name = keptObjectName(role, source);
    const former = await getMetadata(client, resource, namespace, name).catch(undefinedIfNotFound);
    if (!former) return;
    if (!isLabelledKept(former)) throw new NameTakenError(`${kind} ${namespace ?? ''}/${name}`);
    assertLeading();
    const { uid, resourceVersion } = former.metadata;
    const precondition = { uid, resourceVersion, propagationPolicy: 'Background' as const };
    await deleteObject(client, resource, namespace, name, precondition).catch(undefinedIfNotFound);
  }
}

/** Somebody else's object has the name of a kept content. */
export class NameTakenError extends RerollError {
  constructor(object: string) {
    super(
      `${object} has the name that Reroll needs for the copy, but not the label of Reroll's copies: find out whose it is, and delete it ` +
        'if nobody needs it',
      { code: 'KEPT_NAME_TAKEN' },
    );
  }
}
