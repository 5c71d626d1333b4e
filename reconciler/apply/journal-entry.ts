import { hash, timingSafeEqual } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { RerollError } from '../../shared/domain/errors';
import { KeyedHash } from '../../shared/domain/sources/keyed-hash';
import { canonicalDigest } from '../../shared/domain/workloads/template-digest';
import { objectKey, splitObjectKey, type ObjectKey } from '../../shared/domain/kubernetes/object-key';
import type { KubeObject } from '../../shared/kube/client/objects';

const entrySchema = z.object({
  /** The uid of the Job that is to be deleted. */
  uid: z.string().min(1),
  restartId: z.string(),
  /** The {@link jobDigest} of the Job that the successor was made from. Older versions did not note it. */
  madeFrom: z.string().optional(),
  /** A draft does not count yet: nothing is deleted or created for it. */
  draft: z.literal(true).optional(),
  /** The sources whose changes the recreation answers. */
  sources: z.array(z.string()).readonly(),
  /** The reasons, for people: one phrase per source. */
  because: z.array(z.string()).readonly(),
  /** The Job to create. */
  successor: z.looseObject({
    apiVersion: z.literal('batch/v1'),
    kind: z.literal('Job'),
    metadata: z.looseObject({
      name: z.string(),
      namespace: z.string(),
      annotations: z.record(z.string(), z.string()),
    }),
  }),
});

/** A Job that is being deleted and created again. */
export type JobRecreation = Readonly<z.infer<typeof entrySchema>>;

/** Why a Secret that is labelled as an entry is not a valid one. */
export type EntryProblem = 'no-mac' | 'wrong-mac' | 'unreadable' | 'other-job';

export type OpenedEntry =
  { readonly kind: 'entry'; readonly entry: JobRecreation } | { readonly kind: 'refused'; readonly why: EntryProblem };

/** A Secret that is about to be created. */
export interface SealedEntry {
  readonly metadata: object;
  readonly [field: string]: unknown;
}

/** What an entry's metadata claims. Not trusted before the MAC is checked. */
export interface EntryClaim {
  readonly uid: string;
  readonly job: ObjectKey;
}

/**
 * Limit for an entry as text. An API server stores no object of more than 1.5 MiB, but characters that JSON escapes
 * take more here.
 */
export const maxManifestBytes = 4 * 1024 * 1024;

const label = 'reroll.dev/journal';
const uidLabel = 'reroll.dev/journal-job';
/** An annotation, because the value may be longer than a label value. */
const jobAnnotation = 'reroll.dev/journal-job-name';
export const entrySelector = `${label}=job`;

/** The manifest may contain secrets in plain variables, so the journal is a Secret and not a ConfigMap. */
const manifestKey = 'recreation.json.gz';
const macKey = 'mac';
const macVersion = 'reroll-journal-entry/1';

/**
 * Digest of what a successor takes over from its Job: changes whenever somebody edits the Job, and not with its status.
 */
export function jobDigest({ metadata, spec }: KubeObject): string {
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  return canonicalDigest([labels, annotations, finalizers, ownerReferences, spec]);
}

/** The name of the entry's Secret for the Job with this uid. */
export function entryName(uid: string): string {
  return `reroll-job-${hash('sha256', uid, 'hex').slice(0, 16)}`;
}

/**
 * The Secret of an entry. The MAC makes it trustworthy: without it, anybody who can create or change a Secret in
 * Reroll's namespace could make Reroll's account create any Job in any namespace.
 *
 *     MAC = HMAC-SHA-256(journal key, version, Secret's name, uid, namespace and name of the Job, gzipped manifest)
 *
 * Each part but the last is preceded by its length. Throws a JobTooLargeError.
 */
export function sealEntry(key: Buffer, namespace: string, entry: JobRecreation): SealedEntry {
  const { metadata } = entry.successor;
  const text = Buffer.from(JSON.stringify(entry));
  const job = objectKey(metadata.namespace, metadata.name);
  if (text.length > maxManifestBytes) throw new JobTooLargeError(job, text.length);
  const name = entryName(entry.uid);
  const manifest = gzipSync(text);
  const mac = macOf(key, name, { uid: entry.uid, job }, manifest);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace,
      labels: { [label]: 'job', [uidLabel]: entry.uid },
      annotations: { [jobAnnotation]: job },
    },
    data: { [manifestKey]: manifest.toString('base64'), [macKey]: mac.toString('base64') },
  };
}

/** Reads a Secret that is labelled as an entry. Nothing is unpacked before the MAC is verified. */
export function openEntry(key: Buffer, secret: KubeObject): OpenedEntry {
  const data = z.record(z.string(), z.string()).safeParse(secret['data']).data ?? {};
  const manifest = Buffer.from(data[manifestKey] ?? '', 'base64');
  const mac = Buffer.from(data[macKey] ?? '', 'base64');
  if (mac.length === 0) return refused('no-mac');
  const claim = claimOf(secret);
  const right = macOf(key, secret.metadata.name, claim, manifest);
  if (mac.length !== right.length || !timingSafeEqual(mac, right)) return refused('wrong-mac');
  const entry = unpacked(manifest);
  if (!entry) return refused('unreadable');
  const { namespace, name } = entry.successor.metadata;
  if (entry.uid !== claim.uid || objectKey(namespace, name) !== claim.job) return refused('other-job');
  return { kind: 'entry', entry };
}

export function claimOf({ metadata: { labels, annotations } }: KubeObject): EntryClaim {
  return { uid: labels?.[uidLabel] ?? '', job: annotations?.[jobAnnotation] ?? '' };
}

/** The manifest is too large to be read back: the Job would be lost between its deletion and its creation. */
export class JobTooLargeError extends RerollError {
  constructor(job: ObjectKey, bytes: number) {
    super(
      `Job ${job}: its manifest takes ${String(bytes)} bytes as JSON, more than the ${String(maxManifestBytes)} that can be kept ` +
        'while a Job is recreated, so it is not restarted; make it smaller, or set reroll.dev/job-policy: next-run',
      { code: 'JOB_TOO_LARGE' },
    );
  }
}

function macOf(key: Buffer, secretName: string, { uid, job }: EntryClaim, manifest: Buffer): Buffer {
  const { namespace, name } = splitObjectKey(job);
  return Buffer.from(new KeyedHash(key).of([macVersion, secretName, uid, namespace, name], manifest), 'latin1');
}

/** The limit protects against manifests of an earlier version. This version seals no larger ones. */
function unpacked(manifest: Buffer): JobRecreation | undefined {
  try {
    const text = gunzipSync(manifest, { maxOutputLength: maxManifestBytes }).toString('utf8');
    return entrySchema.safeParse(JSON.parse(text)).data;
  } catch {
    // The error's message may quote the manifest.
    return undefined;
  }
}

function refused(why: EntryProblem): OpenedEntry {
  return { kind: 'refused', why };
}
