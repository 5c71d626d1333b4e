import { splitObjectKey } from '../kubernetes/object-key';
import type { GateSettings } from '../gate-settings/gate-settings';
import type { ContentDigest } from './content-digest';

/** The kinds of objects whose changes cause restarts. */
export const sourceKinds = ['ConfigMap', 'Secret', 'SecretProviderClass'] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** Names of a kind: a short one for baselines, and Reloader's type token for markers, Events and alerts. */
export const sourceKindNames: Readonly<Record<SourceKind, { readonly short: string; readonly token: string }>> = {
  ConfigMap: { short: 'cm', token: 'CONFIGMAP' },
  Secret: { short: 'secret', token: 'SECRET' },
  SecretProviderClass: { short: 'spc', token: 'SECRETPROVIDERCLASS' },
};

/** '' is the core group. The version of each is `v1`. */
export const sourceGroups: Readonly<Record<SourceKind, string>> = {
  ConfigMap: '',
  Secret: '',
  SecretProviderClass: 'secrets-store.csi.x-k8s.io',
};

/** The kind of source that an object is; undefined: it is none. */
export function findSourceKind(group: string, kind: string): SourceKind | undefined {
  return sourceKinds.find((each) => each === kind && sourceGroups[each] === group);
}

/** Names a source. */
export interface SourceRef<Kind extends SourceKind = SourceKind> {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

/** Names a source of a namespace that is known from the context, such as that of a workload. */
export type LocalSourceRef = Omit<SourceRef, 'namespace'>;

/** `ConfigMap shop/app-config`: a source as the key of a map, and in logs. */
export type SourceKey = string;

export function sourceKey({ kind, namespace, name }: SourceRef): SourceKey {
  return `${kind} ${namespace}/${name}`;
}

/** Inverse of {@link sourceKey}; a kind holds no space, and a namespace no slash. */
export function splitSourceKey(key: SourceKey): SourceRef {
  const space = key.indexOf(' ');
  return { kind: key.slice(0, space) as SourceKind, ...splitObjectKey(key.slice(space + 1)) };
}

/** `cm/app-config`: a source within its namespace, as written in a baseline, whose size is limited. */
export type SourceId = string;

export function sourceId({ kind, name }: LocalSourceRef): SourceId {
  return `${sourceKindNames[kind].short}/${name}`;
}

/** Inverse of {@link sourceId}; undefined for a kind that this version does not know. */
export function parseSourceId(id: SourceId): LocalSourceRef | undefined {
  const slash = id.indexOf('/');
  const kind = sourceKinds.find((candidate) => sourceKindNames[candidate].short === id.slice(0, slash));
  return kind && { kind, name: id.slice(slash + 1) };
}

/**
 * What is kept of a source: everything that a decision needs, and nothing of its content. `metadata-only`: only its
 * metadata was listed, and no decision has needed its content yet.
 */
export interface SourceRecord extends SourceRef {
  readonly uid: string;
  readonly resourceVersion: string;
  /** The API server's time of creation, whole seconds. */
  readonly createdAtMs: number;
  /** The newest time in managedFields, whole seconds by the API server's clock; undefined if there is none. */
  readonly writtenAtMs: number | undefined;
  /** Annotation `reloader.stakater.com/ignore: "true"`. */
  readonly ignore: boolean;
  /** Annotation `reloader.stakater.com/match: "true"`. */
  readonly match: boolean;
  /** When a change of it may restart workloads; undefined: it does not say. */
  readonly gates?: GateSettings;
  readonly content: ContentDigest | 'metadata-only';
}

/** The annotations of a source: whether it is ignored, and whether it matches searches. */
export type SourceFlags = Pick<SourceRecord, 'ignore' | 'match'>;

/** A source whose content was read. */
export type DigestedSource = SourceRecord & { readonly content: ContentDigest };

export function hasContent(source: SourceRecord): source is DigestedSource {
  return source.content !== 'metadata-only';
}
