import type { ContentParser, DocumentNode } from './document-node';
import { schemaViolations, type SchemaViolation } from './json-schema';
import { SchemaError } from './schema-values';
import { positionAt } from './text-position';

/** A parsed schema. It is a document itself, and messages name positions in it. */
export interface LoadedSchema {
  /** `configmap/key` */
  readonly name: string;
  readonly text: string;
  readonly root: DocumentNode;
}

/** The result of checking one key, as lines. */
export interface KeyResult {
  /** `config.json:3:7: a comma is missing`: position and reason, without any of the content. */
  readonly faults: readonly string[];
  /** Schemas that could not be used, and why. */
  readonly unusable: readonly string[];
}

/** Nobody reads more. */
const maxFaults = 20;

/** Checks the content of one key. Pure, but a hostile text can make the parser take very long. */
export function contentFaults(
  key: string,
  text: string,
  parse: ContentParser,
  schemas: readonly LoadedSchema[],
): KeyResult {
  const parsed = parse(text);
  if (parsed.fault)
    return { faults: [`${placeIn(key, text, parsed.fault.offset)}: ${parsed.fault.reason}`], unusable: [] };
  if (schemas.length === 0) return { faults: [], unusable: [] };
  const documents = parsed.documents();
  const found: Found[] = [];
  const unusable: string[] = [];
  for (const schema of schemas) {
    try {
      const all = documents.flatMap((document) => schemaViolations(document, schema.root));
      for (const violation of all.slice(0, maxFaults)) found.push({ violation, schema });
    } catch (thrown) {
      if (!(thrown instanceof SchemaError)) throw thrown;
      unusable.push(describeSchemaError(schema, thrown));
    }
  }
  // To find a line takes longer than to find a fault, so it is done only for those that are reported.
  return { faults: found.slice(0, maxFaults).map((each) => violationLine(key, text, each)), unusable };
}

interface Found {
  readonly violation: SchemaViolation;
  readonly schema: LoadedSchema;
}

function violationLine(key: string, text: string, { violation, schema }: Found): string {
  const { offset, schemaOffset, reason } = violation;
  return `${placeIn(key, text, offset)}: ${reason} (${placeIn(schema.name, schema.text, schemaOffset)})`;
}

/** Parses the text of a schema, in any format that documents may have. @throws SchemaError */
export function loadSchema(name: string, text: string, parse: ContentParser): LoadedSchema {
  const parsed = parse(text);
  if (parsed.fault) throw new SchemaError(parsed.fault.reason, parsed.fault.offset);
  const [root, ...others] = parsed.documents();
  if (!root || others.length > 0) throw new SchemaError('a schema is one document');
  return { name, text, root };
}

/** Why a schema cannot be used, as one line. */
export function describeSchemaError({ name, text }: Pick<LoadedSchema, 'name' | 'text'>, error: SchemaError): string {
  const place = error.offset === undefined ? name : placeIn(name, text, error.offset);
  return `${place}: ${error.reason}`;
}

function placeIn(name: string, text: string, offset: number): string {
  const { line, column } = positionAt(text, offset);
  return `${name}:${line}:${column}`;
}
