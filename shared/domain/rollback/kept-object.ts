import { hash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { keptAnnotations, keptLabel } from '../annotations/annotations';
import { isChangeId } from '../gate-settings/rolled-back';
import { fieldAt, parsedJson, textOf } from '../kubernetes/json-value';
import { KeyedHash } from '../sources/keyed-hash';
import { contentFieldNames, contentFieldsOf, type ContentFields } from './content-fields';

/** `good`: the last content with which all users were healthy. `bad`: the one that was taken back last. */
export type KeptRole = 'good' | 'bad';

/** The kinds whose contents are kept. */
export type KeptKind = 'ConfigMap' | 'Secret';

/** What is used of an object of the API. */
export interface StoredSource {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
  readonly [field: string]: unknown;
}

const changeIdSchema = z.string().refine(isChangeId);

const noteSchema = z
  .strictObject({
    /** The id of the change that brought the content. */
    change: changeIdSchema,
    /** When it was kept. */
    at: z.string().max(40),
    /** Of a bad content: the resourceVersion of the source that had it. An attempt to put it back counts for that one only. */
    version: z.string().max(40).optional(),
    /** Of a bad content: all changes of the source that were put back, this one among them. */
    rolledBack: z.array(changeIdSchema).max(20).readonly().optional(),
  })
  .readonly();

/** What is noted on a kept content. */
export type KeptNote = z.output<typeof noteSchema>;

/** A content that Reroll has kept itself. */
export interface KeptContent {
  readonly note: KeptNote;
  readonly fields: ContentFields;
  /** The object that holds it. */
  readonly uid: string;
}

const macVersion = 'reroll-kept-content/1';

/** Longest name of an object. */
const maxNameLength = 253;
const uidDigits = 8;

/**
 * The name of the object that keeps a content of a source, beside it in a sorted list. A source that is deleted and
 * created anew has others.
 * @example 'app.reroll-good-1a2b3c4d'
 */
export function keptObjectName(role: KeptRole, { metadata: { name, uid } }: StoredSource): string {
  const suffix = `.reroll-${role}-${hash('sha256', uid, 'hex').slice(0, uidDigits)}`;
  // A label of a DNS name ends with a letter or a digit.
  return name.slice(0, maxNameLength - suffix.length).replace(/[^a-z0-9]+$/, '') + suffix;
}

/** Whether an object bears the label of kept contents. */
export function isLabelledKept({ metadata: { labels } }: Pick<StoredSource, 'metadata'>): boolean {
  return labels?.[keptLabel] !== undefined;
}

export interface KeptDraft {
  readonly role: KeptRole;
  readonly kind: KeptKind;
  readonly source: StoredSource;
  readonly note: KeptNote;
  /** The annotation by which a source is ignored: no workload restarts for a kept content. */
  readonly ignoreKey: string;
}

/**
 * A copy of the source's content, which nobody can edit, and which is deleted together with the source. It counts only
 * with a MAC, and that needs its uid: see {@link keptMac}.
 */
export function keptDraft({ role, kind, source, note, ignoreKey }: KeptDraft): object {
  const { metadata, type } = source;
  const { name, namespace, uid } = metadata;
  const { data, binaryData } = contentFieldsOf(source);
  return {
    apiVersion: 'v1',
    kind,
    metadata: {
      ...{ name: keptObjectName(role, source), namespace },
      labels: { [keptLabel]: role, 'app.kubernetes.io/managed-by': 'reroll' },
      annotations: { [ignoreKey]: 'true', [keptAnnotations.note]: JSON.stringify(note) },
      ownerReferences: [{ apiVersion: 'v1', kind, name, uid }],
    },
    ...(kind === 'Secret' && { type }),
    data,
    ...(kind === 'ConfigMap' && { binaryData }),
    immutable: true,
  };
}

/** The annotations that make a draft count, or that change what is noted on it. */
export function sealedAnnotations(mac: string, note: KeptNote): Readonly<Record<string, string>> {
  return { [keptAnnotations.note]: JSON.stringify(note), [keptAnnotations.mac]: mac };
}

export interface KeptClaim {
  readonly role: KeptRole;
  readonly kind: KeptKind;
  readonly source: StoredSource;
  /** Of the object that keeps the content. */
  readonly uid: string;
  readonly note: KeptNote;
  readonly fields: ContentFields;
}

/**
 * What makes a kept content trustworthy. Without it, whoever may create a ConfigMap, but not write the source, could have
 * Reroll write it for them. The uid of the object itself is part of it: an older content that was deleted cannot be
 * brought back by creating a copy.
 *
 *     MAC = HMAC-SHA-256(key, version, role, kind, type, namespace, name and uid of the source, uid of the object, note; each key and value)
 */
export function keptMac(key: Buffer, { role, kind, source, uid, note, fields }: KeptClaim): string {
  const { name, namespace = '', uid: sourceUid } = source.metadata;
  const type = textOf(source['type']) ?? '';
  const names = [macVersion, role, kind, type, namespace, name, sourceUid, uid, JSON.stringify(note)];
  const stream = new KeyedHash(key).stream(names);
  for (const field of contentFieldNames) {
    const entries = Object.entries(fields[field]).sort(([left], [right]) => (left < right ? -1 : 1));
    for (const [name, value] of entries) stream.add(`${field}/${name}`, Buffer.from(value));
  }
  return Buffer.from(stream.digest(), 'latin1').toString('base64url');
}

/** Reads a content that was kept for this source. Undefined: Reroll has not kept it, or not to the end. */
export function openKept(
  key: Buffer,
  { role, kind, source }: Pick<KeptClaim, 'role' | 'kind' | 'source'>,
  object: StoredSource,
): KeptContent | undefined {
  const { uid, annotations } = object.metadata;
  const note = noteOf(annotations?.[keptAnnotations.note]);
  const mac = Buffer.from(annotations?.[keptAnnotations.mac] ?? '');
  // With a finalizer, an older content can be kept from going.
  if (!note || fieldAt(object, ['metadata', 'deletionTimestamp']) !== undefined) return undefined;
  const fields = contentFieldsOf(object);
  const right = Buffer.from(keptMac(key, { role, kind, source, uid, note, fields }));
  return mac.length === right.length && timingSafeEqual(mac, right) ? { note, fields, uid } : undefined;
}

/** What is noted on a kept content, by whomever: without the key, nobody can tell. */
export function unverifiedNote({ metadata: { annotations } }: StoredSource): KeptNote | undefined {
  return noteOf(annotations?.[keptAnnotations.note]);
}

function noteOf(text: string | undefined): KeptNote | undefined {
  return noteSchema.safeParse(parsedJson(text ?? '')).data;
}
