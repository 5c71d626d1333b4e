/** The fields that are set: others would replace defaults when an object is spread over them. */
export function definedFields<Fields extends object>(
  fields: Fields,
): { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}
