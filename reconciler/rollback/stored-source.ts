import type { ContentFields } from '../../shared/domain/rollback/content-fields';
import type { KeptKind } from '../../shared/domain/rollback/kept-object';
import type { SourceDigester } from '../../shared/domain/sources/content-digest';
import { hasContent, type DigestedSource, type SourceRecord, type SourceRef } from '../../shared/domain/sources/source';
import type { KubeClient } from '../../shared/kube/client/client';
import { getObject, type KubeObject } from '../../shared/kube/client/objects';
import { undefinedIfAbsent } from '../../shared/kube/errors';
import { sourceDecoders, sourceResources, type SourceAnnotationKeys } from '../../shared/kube/sources/source-decoder';

/** A source as it is stored, with its content: used, and dropped. */
export interface StoredSource {
  readonly kind: KeptKind;
  readonly object: KubeObject;
  readonly record: DigestedSource;
}

/** A source whose content Reroll can keep, and has read. */
export type KeptSource = DigestedSource & { readonly kind: KeptKind };

export function isKeptSource(record: SourceRecord | undefined): record is KeptSource {
  return record !== undefined && record.kind !== 'SecretProviderClass' && hasContent(record);
}

/** Reads sources with their contents, from etcd and not from a cache of the API server. */
export class StoredSources {
  readonly #client: KubeClient;
  readonly #decoders: ReturnType<typeof sourceDecoders>;

  constructor(client: KubeClient, digester: SourceDigester, annotationKeys: SourceAnnotationKeys) {
    this.#client = client;
    this.#decoders = sourceDecoders(digester, annotationKeys);
  }

  /** Undefined: there is none. @throws KubeErrors */
  async read({ kind, namespace, name }: SourceRef<KeptKind>): Promise<StoredSource | undefined> {
    const object = await getObject(this.#client, sourceResources[kind], namespace, name).catch(undefinedIfAbsent);
    return object && { kind, object, record: this.#decoders[kind].fromJson(object).object };
  }

  /** The source as it would be with another content. */
  with({ kind, object }: StoredSource, fields: ContentFields): DigestedSource {
    return this.#decoders[kind].fromJson({ ...object, ...fields }).object;
  }
}

/** Whether a source is stored as the index shows it. If it is not, the watch is about to show something else. */
export function isAsShown(stored: StoredSource, shown: DigestedSource): boolean {
  return stored.record.uid === shown.uid && stored.record.content.equals(shown.content);
}
