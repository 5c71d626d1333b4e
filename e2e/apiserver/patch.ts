import { parse as parseYaml } from 'yaml';
import { isObject, type JsonObject, type JsonValue } from './json';
import { applyJsonPatch } from './json-patch';
import { applyMergePatch } from './merge-patch';
import type { ResourceKind } from './resources';
import { badRequest, unsupportedMediaType } from './status';
import { applyStrategicMergePatch } from './strategic-merge-patch';

export const applyMediaType = 'application/apply-patch+yaml';

const mediaTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  applyMediaType,
  'application/apply-patch+cbor',
  'application/strategic-merge-patch+json',
] as const;

/**
 * Parses a PATCH body and returns the change that it asks for.
 *
 * @throws StatusError 400 for a body that does not parse, 415 for a type that the kind cannot be patched with.
 */
export function readPatch(kind: ResourceKind, contentType: string, body: Buffer): (target: JsonObject) => JsonObject {
  switch (contentType) {
    case 'application/json-patch+json': {
      const patch = parseBody(body);
      return (target) => applyJsonPatch(target, patch);
    }
    case 'application/merge-patch+json': {
      const patch = parseObject(body);
      return (target) => applyMergePatch(target, patch);
    }
    case 'application/strategic-merge-patch+json': {
      if (kind.custom) throw unsupportedMediaType(mediaTypes.filter((type) => !type.includes('strategic')));
      const patch = parseObject(body);
      return (target) => applyStrategicMergePatch(target, patch);
    }
    default:
      throw unsupportedMediaType(mediaTypes);
  }
}

/** Parses the configuration of a server-side apply: YAML, which includes JSON. */
export function readConfiguration(body: Buffer): JsonObject {
  try {
    const parsed = parseYaml(body.toString('utf8')) as JsonValue;
    if (isObject(parsed)) return parsed;
  } catch {
    // Rejected below, like any other body that is not an object.
  }
  throw badRequest('error decoding YAML: the body is not an object');
}

export function parseObject(body: Buffer): JsonObject {
  const parsed = parseBody(body);
  if (isObject(parsed)) return parsed;
  throw badRequest("couldn't get version/kind; json parse error: the body is not an object");
}

function parseBody(body: Buffer): JsonValue {
  try {
    return JSON.parse(body.toString('utf8')) as JsonValue;
  } catch (error) {
    throw badRequest(`error decoding the body: ${error instanceof Error ? error.message : String(error)}`);
  }
}
