import type { AnnotationKeys } from '../../domain/annotations/annotations';
import { annotationsOf, sourceFlags } from '../../domain/annotations/annotations';
import { readBearerGates } from '../../domain/gate-settings/bearer-gates';
import type { GateSettings } from '../../domain/gate-settings/gate-settings';
import type { ContentDigest, SourceDigester } from '../../domain/sources/content-digest';
import { fieldAt, listOf, objectOf, textOf } from '../../domain/kubernetes/json-value';
import { objectKey } from '../../domain/kubernetes/object-key';
import type { Decoder } from '../wire/decoder';
import { metadataFromJson, requireIdentity, type ObjectMetadata } from '../wire/object-metadata';
import type { Resource } from '../resource';

const api = { group: 'secrets-store.csi.x-k8s.io', version: 'v1' };
export const secretProviderClasses: Resource = { ...api, plural: 'secretproviderclasses' };
export const secretProviderClassPodStatuses: Resource = { ...api, plural: 'secretproviderclasspodstatuses' };

/** The content of a CSI volume in one pod, from a SecretProviderClassPodStatus. */
export interface CsiPodStatus {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly createdAtMs: number;
  /** When the status was last written, with a resolution of one second; undefined if managedFields show no time. */
  readonly statusWrittenAtMs: number | undefined;
  readonly className: string;
  /** The digests of the mounted versions by object id; undefined: nothing is mounted yet. */
  readonly content: ContentDigest | undefined;
}

/** The annotations of a SecretProviderClass. */
export interface CsiClass {
  readonly namespace: string;
  readonly name: string;
  readonly ignore: boolean;
  readonly match: boolean;
  readonly gates?: GateSettings;
}

/** Digests the object versions while decoding, because they may be hashes of the secrets themselves. */
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
      const source = { kind: 'SecretProviderClass', namespace, name: className } as const;
      const content = entries.length === 0 ? undefined : digester.digest(source, entries);
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
      const annotations = annotationsOf(object);
      const gates = readBearerGates(annotations, 'source', keys);
      const csiClass = { namespace, name, ...sourceFlags(annotations, keys), ...(gates && { gates }) };
      return { key: objectKey(namespace, name), uid, resourceVersion, object: csiClass };
    },
  };
}

function identified(object: unknown): ObjectMetadata {
  const metadata = metadataFromJson(object);
  requireIdentity(metadata);
  return metadata;
}

/** Only writes of the status count: a new label on the object does not change what is mounted. */
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
