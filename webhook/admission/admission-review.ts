import * as z from 'zod';
import type { PluginAnswer } from './admission-plugin';

/** Longer than any uid of an API server, short enough to echo without thought. */
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
    /** Absent, as in the object, while the server has yet to generate it. */
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

/** What an API server asks about one write (`admission.k8s.io/v1`, AdmissionRequest). */
export type AdmissionRequest = z.infer<typeof requestSchema>;

export interface AdmissionReview {
  /** Of the request: the answer is worth nothing without it. */
  readonly uid: string;
  /** Undefined where only the uid can be relied on: to be allowed like any other, and not looked into. */
  readonly request: AdmissionRequest | undefined;
}

/** Reads the body of a call; undefined when it is no review that could be answered. */
export function parseAdmissionReview(body: Buffer): AdmissionReview | undefined {
  const envelope = envelopeSchema.safeParse(parseJson(body));
  if (!envelope.success) return undefined;
  const { uid } = envelope.data.request;
  return { uid, request: requestSchema.safeParse(envelope.data.request).data };
}

/** Enough of a body to hold the uid, which the API server writes first. */
export const uidPrefixBytes = 1024;

const uidAtTheStart = new RegExp(`"request"\\s*:\\s*\\{\\s*"uid"\\s*:\\s*"([-.:\\w]{1,${maxUidLength}})"`);

/** The uid out of the first bytes of a body whose rest is not to be kept. */
export function uidFromPrefix(prefix: Buffer): string | undefined {
  return uidAtTheStart.exec(prefix.toString('latin1', 0, uidPrefixBytes))?.[1];
}

/** The answer to `/mutate` as to `/validate`: allowed, unless a duty denies it, with what duties have added. */
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
    // The parser's message quotes what it stumbled over, which may be a Secret's content.
    return undefined;
  }
}
