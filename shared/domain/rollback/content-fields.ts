import { fieldAt, objectOf } from '../kubernetes/json-value';

/** The fields of a ConfigMap or Secret that hold its content. `stringData` of a Secret is written only, never read. */
export const contentFieldNames = ['data', 'binaryData'] as const;

type Entries = Readonly<Record<string, string>>;

/** The content of a ConfigMap or Secret, as the API has it. */
export type ContentFields = Readonly<Record<(typeof contentFieldNames)[number], Entries>>;

/** Names of keys, never their values. */
export interface KeyChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** Reads the content of an object in JSON. */
export function contentFieldsOf(object: unknown): ContentFields {
  return { data: entriesOf(object, 'data'), binaryData: entriesOf(object, 'binaryData') };
}

function entriesOf(object: unknown, field: string): Entries {
  const entries = Object.entries(objectOf(fieldAt(object, [field])));
  return Object.fromEntries(entries.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])));
}

/** Which keys differ, sorted. */
export function keyChanges(from: ContentFields, to: ContentFields): KeyChanges {
  const [before, after] = [placesOf(from), placesOf(to)];
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return {
    added: names.filter((name) => !before.has(name)),
    removed: names.filter((name) => !after.has(name)),
    changed: names.filter((name) => before.has(name) && after.has(name) && before.get(name) !== after.get(name)),
  };
}

export function isSameContent(left: ContentFields, right: ContentFields): boolean {
  return Object.values(keyChanges(left, right)).every(({ length }) => length === 0);
}

/** A key is in one of the fields. One that moves to the other has changed. */
function placesOf(fields: ContentFields): ReadonlyMap<string, string> {
  const all = contentFieldNames.flatMap((field) =>
    Object.entries(fields[field]).map(([key, value]) => [key, `${field} ${value}`] as const),
  );
  return new Map(all);
}

/** A JSON merge patch that makes one content out of another, and touches nothing else. */
export function contentPatch(from: ContentFields, to: ContentFields): Partial<Record<string, object>> {
  const fields = contentFieldNames.flatMap((field) => {
    const written = Object.entries(to[field]).filter(([key, value]) => from[field][key] !== value);
    const removed = Object.keys(from[field]).filter((key) => !Object.hasOwn(to[field], key));
    const all = [...written, ...removed.map((key) => [key, null] as const)];
    return all.length === 0 ? [] : [[field, Object.fromEntries(all)] as const];
  });
  return Object.fromEntries(fields);
}
