import { jsonMembers, jsonText } from './json-bytes';

/** An object with only its identity. */
export interface IdentityOnly {
  readonly metadata: Readonly<Record<string, string>>;
}

const identityFields = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'];

/**
 * The identity of the object whose JSON begins at `start`, without parsing it. API servers write the metadata before
 * spec and status, so the cost depends only on the length of the metadata.
 */
export function identityInJson(json: Buffer, start = 0): IdentityOnly {
  const metadata: Record<string, string> = {};
  for (const { name, at } of jsonMembers(json, start)) {
    if (name !== 'metadata') continue;
    for (const field of jsonMembers(json, at)) {
      const text = identityFields.includes(field.name) ? jsonText(json, field.at) : undefined;
      if (text !== undefined) metadata[field.name] = text;
    }
    break;
  }
  return { metadata };
}

/** The type of a watch event, and the offset of its object; undefined if the line is not an event. */
export function watchEventInJson(line: Buffer): { readonly type: string; readonly objectAt: number } | undefined {
  let type: string | undefined;
  for (const { name, at } of jsonMembers(line, 0)) {
    if (name === 'type') type = jsonText(line, at);
    if (name === 'object' && type !== undefined) return { type, objectAt: at };
  }
  return undefined;
}
