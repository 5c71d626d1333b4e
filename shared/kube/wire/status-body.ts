import { isObject, listOf, objectOf } from '../../domain/kubernetes/json-value';
import type { KubeStatus } from '../errors';
import { protobufFields } from './protobuf';
import { openEnvelope, protobufType } from './protobuf-envelope';

/** Longer messages are cut: a proxy may answer with an HTML page. */
const maxMessageLength = 512;

/** Parses the body of a failed request; undefined if it is not a Status (the page of a proxy, or empty). */
export function parseStatusBody(contentType: string | undefined, body: Buffer): KubeStatus | undefined {
  try {
    if (contentType?.startsWith(protobufType) === true) return statusFromProtobuf(openEnvelope(body));
    return statusFromJson(JSON.parse(body.toString('utf8')));
  } catch {
    return undefined;
  }
}

export function statusFromJson(value: unknown): KubeStatus | undefined {
  if (!isObject(value) || value['kind'] !== 'Status') return undefined;
  const details = objectOf(value['details']);
  const seconds = details['retryAfterSeconds'];
  return {
    code: typeof value['code'] === 'number' ? value['code'] : undefined,
    reason: text(value['reason']),
    message: text(value['message']),
    name: text(details['name']),
    resource: text(details['kind']),
    causes: listOf(details['causes']).flatMap((cause) => text(objectOf(cause)['reason']) ?? []),
    retryAfterMs: typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined,
  };
}

/**
 * `metav1.Status {3: message, 4: reason, 5: details {1: name, 3: kind, 4: causes {1: reason}, 5: retryAfterSeconds}, 6:
 * code}`.
 */
export function statusFromProtobuf(message: Buffer): KubeStatus {
  let status: KubeStatus = {
    code: undefined,
    reason: undefined,
    message: undefined,
    name: undefined,
    resource: undefined,
    causes: [],
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

type Details = Pick<KubeStatus, 'name' | 'resource' | 'causes' | 'retryAfterMs'>;

function detailsOf(message: Buffer): Details {
  let details: Details = { name: undefined, resource: undefined, causes: [], retryAfterMs: undefined };
  for (const { number, bytes, varint } of protobufFields(message)) {
    if (number === 1) details = { ...details, name: text(bytes.toString('utf8')) };
    if (number === 3) details = { ...details, resource: text(bytes.toString('utf8')) };
    if (number === 4) details = { ...details, causes: [...details.causes, ...causeOf(bytes)] };
    if (number === 5 && varint > 0) details = { ...details, retryAfterMs: varint * 1000 };
  }
  return details;
}

function causeOf(cause: Buffer): readonly string[] {
  for (const { number, text: reason } of protobufFields(cause)) if (number === 1) return [reason];
  return [];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, maxMessageLength) : undefined;
}
