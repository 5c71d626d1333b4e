import * as z from 'zod';
import type { PluginAnswer } from './admission-plugins';
import { textOf } from '../../shared/domain/kubernetes/json-value';
import { managedFieldsOf } from '../../shared/domain/workloads/managed-fields';

/** Longer than any uid that an API server sends, and short enough to echo. */
const maxUidLength = 128;

const apiVersion = 'admission.k8s.io/v1';
const kind = 'AdmissionReview';

const envelopeSchema = z.object({
  apiVersion: z.literal(apiVersion),
  kind: z.literal(kind),
  request: z.looseObject({ uid: z.string().min(1).max(maxUidLength) }),
});

const requestSchema = z
  .object({
    uid: z.string(),
    kind: z.object({ group: z.string(), version: z.string(), kind: z.string() }).readonly(),
    subResource: z.string().optional(),
    /** Absent, as in the object, until the server has generated it. */
    name: z.string().optional(),
    namespace: z.string().optional(),
    operation: z.enum(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']),
    userInfo: z.object({ username: z.string().optional() }).readonly(),
    object: z.unknown(),
    /** Null unless the operation is UPDATE or DELETE. */
    oldObject: z.unknown(),
    dryRun: z.boolean().optional(),
    options: z.object({ fieldManager: z.string().optional() }).readonly().nullish(),
  })
  .readonly();

/** One write that an API server asks about (`admission.k8s.io/v1`, AdmissionRequest). */
export type AdmissionRequest = z.infer<typeof requestSchema>;

export interface AdmissionReview {
  /** The API server rejects an answer without the request's uid. */
  readonly uid: string;
  /** Undefined if only the uid is valid: the review is allowed, and its request is not used. */
  readonly request: AdmissionRequest | undefined;
}

/** Parses the body of a call. Undefined if it is not a review that can be answered. */
export function parseAdmissionReview(body: Buffer): AdmissionReview | undefined {
  const envelope = envelopeSchema.safeParse(parseJson(body));
  if (!envelope.success) return undefined;
  const { uid } = envelope.data.request;
  return { uid, request: requestSchema.safeParse(envelope.data.request).data };
}

/** Enough of a body to hold the uid, which the API server writes first. */
export const uidPrefixBytes = 1024;

const uidAtTheStart = new RegExp(`"request"\\s*:\\s*\\{\\s*"uid"\\s*:\\s*"([-.:\\w]{1,${maxUidLength}})"`);

/** The uid from the first bytes of a body whose rest is dropped. */
export function uidFromPrefix(prefix: Buffer): string | undefined {
  return uidAtTheStart.exec(prefix.toString('latin1', 0, uidPrefixBytes))?.[1];
}

/** The answer to `/mutate` and `/validate`: allowed unless a plugin denies it, with what the plugins add. */
export function reviewAnswer(uid: string, { warnings, patch, denied }: PluginAnswer = {}): Buffer {
  const response = {
    ...{ uid, allowed: denied === undefined },
    ...(denied && { status: { status: 'Failure', ...denied } }),
    ...(warnings && { warnings }),
    ...(patch && !denied && { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }),
  };
  return Buffer.from(JSON.stringify({ apiVersion, kind, response }));
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // The parser's message quotes the input, which may be the content of a Secret.
    return undefined;
  }
}

/**
 * The field manager of a write: from the request, otherwise from the newest entry of managedFields. That entry alone
 * would mislead: another manager that wrote in the same second is as new.
 */
export function fieldManagerOf({ options, object }: AdmissionRequest): string | undefined {
  const stated = textOf(options?.fieldManager);
  if (stated !== undefined) return stated;
  let newest: { readonly manager: string; readonly timeMs: number } | undefined;
  for (const { manager, timeMs } of managedFieldsOf(object)) {
    if (manager !== undefined && timeMs !== undefined && timeMs >= (newest?.timeMs ?? 0)) newest = { manager, timeMs };
  }
  return newest?.manager;
}
