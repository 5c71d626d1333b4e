import { protobufFields } from './protobuf';
import { openEnvelope, protobufType } from './protobuf-envelope';

/** The parts of a `metav1.Status` that matter: what the server says about a failure. */
export interface KubeStatus {
  readonly code: number | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  /** The object that the failure is about. */
  readonly name: string | undefined;
  readonly retryAfterMs: number | undefined;
}

/** Longer messages are cut: a proxy may answer with a page. */
const maxMessageLength = 512;

/** Reads the body of a failed request; undefined when it is no Status (a proxy's page, nothing at all). */
export function parseStatusBody(contentType: string | undefined, body: Buffer): KubeStatus | undefined {
  try {
    if (contentType?.startsWith(protobufType) === true) return statusFromProtobuf(openEnvelope(body));
    return statusFromJson(JSON.parse(body.toString('utf8')));
  } catch {
    return undefined;
  }
}

export function statusFromJson(value: unknown): KubeStatus | undefined {
  if (!isRecord(value) || value['kind'] !== 'Status') return undefined;
  const details = isRecord(value['details']) ? value['details'] : {};
  const seconds = details['retryAfterSeconds'];
  return {
    code: typeof value['code'] === 'number' ? value['code'] : undefined,
    reason: text(value['reason']),
    message: text(value['message']),
    name: text(details['name']),
    retryAfterMs: typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined,
  };
}

/** `metav1.Status {3: message, 4: reason, 5: details {1: name, 5: retryAfterSeconds}, 6: code}`. */
export function statusFromProtobuf(message: Buffer): KubeStatus {
  let status: KubeStatus = {
    code: undefined,
    reason: undefined,
    message: undefined,
    name: undefined,
    retryAfterMs: undefined,
  };
  for (const field of protobufFields(message)) {
    if (field.number === 3) status = { ...status, message: text(field.bytes.toString('utf8')) };
    if (field.number === 4) status = { ...status, reason: text(field.bytes.toString('utf8')) };
    if (field.number === 5) status = { ...status, ...detailsOf(field.bytes) };
    if (field.number === 6) status = { ...status, code: field.varint };
  }
  return status;
}

function detailsOf(details: Buffer): Pick<KubeStatus, 'name' | 'retryAfterMs'> {
  let [name, retryAfterMs]: [string | undefined, number | undefined] = [undefined, undefined];
  for (const { number, bytes, varint } of protobufFields(details)) {
    if (number === 1) name = text(bytes.toString('utf8'));
    if (number === 5 && varint > 0) retryAfterMs = varint * 1000;
  }
  return { name, retryAfterMs };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, maxMessageLength) : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
