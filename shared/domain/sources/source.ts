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

/** `cm/app-config`: a source within its namespace, as written in a baseline. */
export type SourceId = string;

export function sourceId(kind: SourceKind, name: string): SourceId {
  return `${sourceKindNames[kind].short}/${name}`;
}

/** Inverse of {@link sourceId}; undefined for a kind that this version does not know. */
export function parseSourceId(id: SourceId): { readonly kind: SourceKind; readonly name: string } | undefined {
  const slash = id.indexOf('/');
  const kind = sourceKinds.find((candidate) => sourceKindNames[candidate].short === id.slice(0, slash));
  return kind && { kind, name: id.slice(slash + 1) };
}

/**
 * What is kept of a source: everything that a decision needs, and nothing of its content. `metadata-only`: only its
 * metadata was listed, and no decision has needed its content yet.
 */
export interface SourceRecord {
  readonly kind: SourceKind;
  readonly namespace: string;
  readonly name: string;
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
  readonly content: ContentDigest | 'metadata-only';
}

/** The annotations of a source: whether it is ignored, and whether it matches searches. */
export type SourceFlags = Pick<SourceRecord, 'ignore' | 'match'>;

/** A source whose content was read. */
export type DigestedSource = SourceRecord & { readonly content: ContentDigest };

export function hasContent(source: SourceRecord): source is DigestedSource {
  return source.content !== 'metadata-only';
}
