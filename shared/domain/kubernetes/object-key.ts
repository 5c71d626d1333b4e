/** `namespace/name` of a namespaced object. */
export type ObjectKey = string;

export function objectKey(namespace: string, name: string): ObjectKey {
  return `${namespace}/${name}`;
}

/** The two halves of {@link objectKey}; a name cannot hold a slash. */
export function splitObjectKey(key: ObjectKey): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
