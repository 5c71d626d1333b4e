import type { AnnotationKeys } from '../../domain/annotations/annotations';
import { annotationsOf, sourceFlags } from '../../domain/annotations/annotations';
import type { ContentDigest, SourceDigester } from '../../domain/sources/content-digest';
import { fieldAt, listOf, objectOf, textOf } from '../../domain/kubernetes/json-value';
import { objectKey } from '../../domain/kubernetes/object-key';
import type { Decoder } from '../wire/decoder';
import { metadataFromJson, requireIdentity, type ObjectMetadata } from '../wire/object-metadata';
import type { Resource } from '../resource';

const api = { group: 'secrets-store.csi.x-k8s.io', version: 'v1' };
export const secretProviderClasses: Resource = { ...api, plural: 'secretproviderclasses' };
export const secretProviderClassPodStatuses: Resource = { ...api, plural: 'secretproviderclasspodstatuses' };

/** What a CSI volume of one pod shows: a SecretProviderClassPodStatus. */
export interface CsiPodStatus {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly createdAtMs: number;
  /** The newest write of its status, whole seconds; undefined where no time is kept. */
  readonly statusWrittenAtMs: number | undefined;
  readonly className: string;
  /** A digest for each object of the class, by its id, of the version that is mounted; undefined: none is yet. */
  readonly content: ContentDigest | undefined;
}

/** The switches of a SecretProviderClass. */
export interface CsiClass {
  readonly namespace: string;
  readonly name: string;
  readonly ignore: boolean;
  readonly match: boolean;
}

/** Digests the object versions as they pass by: they may be hashes of the secrets themselves. */
export function csiPodStatusDecoder(digester: SourceDigester): Decoder<CsiPodStatus> {
  return {
    accepts: 'json',
    fromJson: (object) => {
      const { namespace, name, uid, resourceVersion, createdAtMs = 0 } = identified(object);
      const className = textOf(fieldAt(object, ['status', 'secretProviderClassName'])) ?? '';
      const versions = listOf(fieldAt(object, ['status', 'objects'])).map(objectOf);
      const entries = versions.map(
        ({ id, version }) => [textOf(id) ?? '', Buffer.from(textOf(version) ?? '', 'utf8')] as const,
      );
      const content =
        entries.length === 0 ? undefined : digester.digest('SecretProviderClass', namespace, className, entries);
      const statusWrittenAtMs = statusTimeMs(object);
      const status = { namespace, name, uid, resourceVersion, createdAtMs, statusWrittenAtMs, className, content };
      return { key: objectKey(namespace, name), uid, resourceVersion, object: status };
    },
  };
}

export function csiClassDecoder(keys: AnnotationKeys): Decoder<CsiClass> {
  return {
    accepts: 'json',
    fromJson: (object) => {
      const { namespace, name, uid, resourceVersion } = identified(object);
      const csiClass = { namespace, name, ...sourceFlags(annotationsOf(object), keys) };
      return { key: objectKey(namespace, name), uid, resourceVersion, object: csiClass };
    },
  };
}

function identified(object: unknown): ObjectMetadata {
  const metadata = metadataFromJson(object);
  requireIdentity(metadata);
  return metadata;
}

/** Somebody's label on the object is a write too, and says nothing of what is mounted. */
function statusTimeMs(object: unknown): number | undefined {
  const times = listOf(fieldAt(object, ['metadata', 'managedFields']))
    .map(objectOf)
    .filter(({ fieldsV1 }) => 'f:status' in objectOf(fieldsV1))
    .flatMap(({ time }) => {
      const ms = Date.parse(textOf(time) ?? '');
      return Number.isNaN(ms) ? [] : ms;
    });
  return times.length === 0 ? undefined : times.reduce((newest, time) => Math.max(newest, time));
}
