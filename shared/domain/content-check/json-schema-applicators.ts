import type { DocumentNode, ListNode, MapEntry } from './document-node';
import type { KeywordPlace, SchemaRun, SchemaViolation } from './json-schema';
import { countOf, listOfSchemas, mapOf, textsOf } from './schema-values';

/** A keyword that contains schemas, for this value or for values in it. */
type Applicator = (place: KeywordPlace, run: SchemaRun) => readonly SchemaViolation[];

/**
 * The meaning of these keywords depends on what other keywords have evaluated. A schema with them is rejected, since it
 * could only be checked in part.
 */
export const refusedKeywords: readonly string[] = [
  '$dynamicRef',
  '$recursiveRef',
  'unevaluatedItems',
  'unevaluatedProperties',
];

/** Keywords by name. */
export const applicators: Readonly<Record<string, Applicator>> = {
  $ref: ({ node, value }, run) => run.violations(node, run.referenced(value)),
  allOf: ({ node, value }, run) => listOfSchemas(value).flatMap((schema) => run.violations(node, schema)),
  anyOf: (place, run) =>
    listOfSchemas(place.value).some((schema) => run.fits(place.node, schema))
      ? []
      : violation(place, 'the value fits none of the choices of the schema'),
  oneOf: (place, run) => {
    const fitting = listOfSchemas(place.value).filter((schema) => run.fits(place.node, schema)).length;
    if (fitting === 1) return [];
    const reason =
      fitting === 0
        ? 'the value fits none of the choices of the schema'
        : 'the value fits several choices of the schema';
    return violation(place, reason);
  },
  not: (place, run) =>
    run.fits(place.node, place.value) ? violation(place, 'the value is one that the schema excludes') : [],
  if: ({ node, value, schema }, run) => {
    const branch = schema.entries.get(run.fits(node, value) ? 'then' : 'else');
    return branch ? run.violations(node, branch.value) : [];
  },
  properties: ({ node, value }, run) =>
    entriesOf(node).flatMap(([name, entry]) => {
      const schema = mapOf(value).entries.get(name);
      return schema ? run.violations(entry.value, schema.value) : [];
    }),
  patternProperties: ({ node, value }, run) =>
    entriesOf(node).flatMap(([name, entry]) =>
      [...mapOf(value).entries].flatMap(([pattern, schema]) =>
        run.matches(pattern, name, schema.keyOffset) ? run.violations(entry.value, schema.value) : [],
      ),
    ),
  additionalProperties: ({ node, value, schema }, run) => {
    const named = mapIn(schema, 'properties');
    const patterns = [...(mapIn(schema, 'patternProperties') ?? [])];
    const isAdditional = (name: string): boolean =>
      named?.has(name) !== true && !patterns.some(([pattern, { keyOffset }]) => run.matches(pattern, name, keyOffset));
    return entriesOf(node).flatMap(([name, entry]) => {
      if (!isAdditional(name)) return [];
      if (!isFalse(value)) return run.violations(entry.value, value);
      return [place(entry.keyOffset, value, 'the schema does not know this property')];
    });
  },
  propertyNames: ({ node, value }, run) =>
    entriesOf(node).flatMap(([name, { keyOffset }]) =>
      run.fits({ kind: 'scalar', offset: keyOffset, value: name }, value)
        ? []
        : [place(keyOffset, value, 'the schema does not allow this property name')],
    ),
  dependentRequired: ({ node, value }) => dependencies(node, value, (needed) => missing(node, needed)),
  dependentSchemas: ({ node, value }, run) => dependencies(node, value, (schema) => run.violations(node, schema)),
  // `dependencies` was one keyword until draft 2019-09 split it into the two above.
  dependencies: ({ node, value }, run) =>
    dependencies(node, value, (needed) =>
      needed.kind === 'list' ? missing(node, needed) : run.violations(node, needed),
    ),
  prefixItems: ({ node, value }, run) => tuple(node, listOfSchemas(value), run),
  items: ({ node, value, schema }, run) => {
    if (value.kind === 'list') return tuple(node, value.items, run);
    const prefix = schema.entries.get('prefixItems')?.value;
    return rest(node, value, prefix ? listOfSchemas(prefix).length : 0, run);
  },
  additionalItems: ({ node, value, schema }, run) => {
    const items = schema.entries.get('items')?.value;
    return items?.kind === 'list' ? rest(node, value, items.items.length, run) : [];
  },
  contains: (at, run) => {
    const { node, value, schema } = at;
    if (node.kind !== 'list') return [];
    const count = node.items.filter((item) => run.fits(item, value)).length;
    const [least, most] = ['minContains', 'maxContains'].map((keyword) => schema.entries.get(keyword)?.value);
    const isEnough = count >= (least ? countOf(least) : 1) && count <= (most ? countOf(most) : Infinity);
    return isEnough ? [] : violation(at, 'the list has too few or too many of the items that the schema requires');
  },
};

function violation({ node, value }: KeywordPlace, reason: string): readonly SchemaViolation[] {
  return [place(node.offset, value, reason)];
}

function place(offset: number, value: DocumentNode, reason: string): SchemaViolation {
  return { offset, schemaOffset: value.offset, reason };
}

function entriesOf(node: DocumentNode): readonly (readonly [string, MapEntry])[] {
  return node.kind === 'map' ? [...node.entries] : [];
}

function itemsOf(node: DocumentNode): ListNode['items'] {
  return node.kind === 'list' ? node.items : [];
}

function mapIn(schema: KeywordPlace['schema'], keyword: string): ReadonlyMap<string, MapEntry> | undefined {
  const value = schema.entries.get(keyword)?.value;
  return value && mapOf(value).entries;
}

function isFalse(node: DocumentNode): boolean {
  return node.kind === 'scalar' && node.value === false;
}

/** The violations of the dependencies of each property that is present. */
function dependencies(
  node: DocumentNode,
  value: DocumentNode,
  violations: (needed: DocumentNode) => readonly SchemaViolation[],
): readonly SchemaViolation[] {
  return [...mapOf(value).entries].flatMap(([name, needed]) =>
    node.kind === 'map' && node.entries.has(name) ? violations(needed.value) : [],
  );
}

function missing(node: DocumentNode, needed: DocumentNode): readonly SchemaViolation[] {
  if (node.kind !== 'map' || textsOf(needed).every((name) => node.entries.has(name))) return [];
  return [place(node.offset, needed, 'a property that the schema requires beside another is missing')];
}

function tuple(node: DocumentNode, schemas: ListNode['items'], run: SchemaRun): readonly SchemaViolation[] {
  return itemsOf(node).flatMap((item, index) => {
    const schema = schemas[index];
    return schema ? run.violations(item, schema) : [];
  });
}

function rest(node: DocumentNode, schema: DocumentNode, from: number, run: SchemaRun): readonly SchemaViolation[] {
  return itemsOf(node)
    .slice(from)
    .flatMap((item) => run.violations(item, schema));
}
