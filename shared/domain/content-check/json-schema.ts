import { budgets } from '../budgets';
import { searchPattern } from '../text/pattern';
import type { DocumentNode, MapNode } from './document-node';
import { applicators, refusedKeywords } from './json-schema-applicators';
import { assertions } from './json-schema-assertions';
import { listOfSchemas, mapOf, SchemaError, textOf } from './schema-values';

/** A value in the document that the schema does not allow, without the value itself. */
export interface SchemaViolation {
  readonly offset: number;
  /** Position of the keyword's value in the schema. */
  readonly schemaOffset: number;
  readonly reason: string;
}

/** The budget of comparisons of a value with a schema: about a tenth of a second. */
const maxSteps = 200_000;

/** A schema that refers to itself for the same value would recurse endlessly. */
const maxDepth = 256;

/** Patterns run in linear time, and so does writing out a text: this many characters cost as much as a step. */
const charactersPerStep = 16;

/** Nobody reads more. */
const maxViolations = 20;

const none: readonly SchemaViolation[] = [];

/**
 * Compares a document with a JSON Schema: draft 2020-12, and older drafts where they do not contradict it. `format` is
 * only an annotation, as in the specification. Anybody who may write a ConfigMap chooses schema and document, so the
 * work is bounded and patterns run in linear time. docs/decisions/0024 says what libraries lack.
 * @throws SchemaError for a schema that it cannot use.
 */
export function schemaViolations(document: DocumentNode, schema: DocumentNode): readonly SchemaViolation[] {
  return new SchemaRun(schema).violations(document, schema).slice(0, maxViolations);
}

/** The state of one comparison, for the keywords. */
export class SchemaRun {
  readonly #root: DocumentNode;
  readonly #patterns = new Map<string, ReturnType<typeof searchPattern>>();
  #anchors: ReadonlyMap<string, DocumentNode> | undefined;
  /** What is left of the budget for all patterns of the schema: compiled patterns are kept during the comparison. */
  #patternSizeLeft: number = budgets.schemaPatternSize;
  #steps = 0;
  #depth = 0;

  constructor(root: DocumentNode) {
    this.#root = root;
  }

  /** Counts work. @throws SchemaError if the budget is exceeded. */
  step(count = 1): void {
    this.#steps += count;
    if (this.#steps > maxSteps || this.#depth > maxDepth) {
      throw new SchemaError('schema and content together are too complex', undefined, 'SCHEMA_TOO_COMPLEX');
    }
  }

  /** Counts work on a text. @throws SchemaError if the budget is exceeded. */
  stepText(text: string): void {
    this.step(text.length / charactersPerStep);
  }

  /** Violations of `schema` by `node`. */
  violations(node: DocumentNode, schema: DocumentNode): readonly SchemaViolation[] {
    this.step();
    if (schema.kind === 'scalar' && typeof schema.value === 'boolean') {
      return schema.value ? none : [{ ...places(node, schema), reason: 'the schema allows nothing here' }];
    }
    const keywords = mapOf(schema);
    const found: SchemaViolation[] = [];
    this.#depth++;
    for (const [keyword, { value }] of keywords.entries) {
      this.step();
      found.push(...this.#ofKeyword(keyword, { node, value, schema: keywords }));
    }
    this.#depth--;
    return found;
  }

  /** Whether `schema` allows `node`. */
  fits(node: DocumentNode, schema: DocumentNode): boolean {
    return this.violations(node, schema).length === 0;
  }

  /** Whether a pattern in the schema matches a text. */
  matches(pattern: DocumentNode | string, text: string, schemaOffset: number): boolean {
    const source = typeof pattern === 'string' ? pattern : textOf(pattern);
    if (!this.#patterns.has(source)) {
      const found = searchPattern(source, this.#patternSizeLeft);
      this.#patterns.set(source, found);
      this.#patternSizeLeft -= found?.size ?? 0;
    }
    const compiled = this.#patterns.get(source);
    if (!compiled) throw new SchemaError('this pattern is not an RE2 pattern, or is too large', schemaOffset);
    this.step();
    this.stepText(text);
    return compiled.isIn(text);
  }

  /** The schema within this one that a `$ref` refers to. */
  referenced(reference: DocumentNode): DocumentNode {
    const [base = '', fragment = ''] = textOf(reference).split('#');
    const refused = (): SchemaError =>
      new SchemaError('this reference does not resolve within the schema', reference.offset);
    if (base !== '' && base !== this.#id()) throw refused();
    if (fragment !== '' && !fragment.startsWith('/')) {
      const anchored = this.#anchored(fragment);
      if (anchored) return anchored;
      throw refused();
    }
    let target: DocumentNode | undefined = this.#root;
    for (const part of fragment.split('/').slice(1)) {
      this.step();
      target = target && childOf(target, unescaped(part));
    }
    if (!target) throw refused();
    return target;
  }

  #ofKeyword(keyword: string, at: KeywordPlace): readonly SchemaViolation[] {
    const { node, value } = at;
    const assertion = ownValue(assertions, keyword);
    if (assertion) {
      return assertion.holds(at, this) ? none : [{ ...places(node, value), reason: assertion.reason }];
    }
    if (refusedKeywords.includes(keyword)) throw new SchemaError('this keyword is not supported', value.offset);
    return ownValue(applicators, keyword)?.(at, this) ?? none;
  }

  #id(): string | undefined {
    if (this.#root.kind !== 'map') return undefined;
    const id = (this.#root.entries.get('$id') ?? this.#root.entries.get('id'))?.value;
    return id && textOf(id).replace(/#$/, '');
  }

  #anchored(name: string): DocumentNode | undefined {
    if (!this.#anchors) {
      const anchors = new Map<string, DocumentNode>();
      this.#findAnchors(this.#root, anchors);
      this.#anchors = anchors;
    }
    return this.#anchors.get(name);
  }

  #findAnchors(node: DocumentNode, anchors: Map<string, DocumentNode>): void {
    this.step();
    if (node.kind === 'list') for (const item of node.items) this.#findAnchors(item, anchors);
    if (node.kind !== 'map') return;
    for (const [key, { value }] of node.entries) {
      if (key === '$anchor' && value.kind === 'scalar') anchors.set(String(value.value), node);
      this.#findAnchors(value, anchors);
    }
  }
}

/** A keyword, and the value that it is evaluated for. */
export interface KeywordPlace {
  readonly node: DocumentNode;
  /** The keyword's value. */
  readonly value: DocumentNode;
  /** The schema that contains the keyword. */
  readonly schema: MapNode;
}

function places(node: DocumentNode, value: DocumentNode): Pick<SchemaViolation, 'offset' | 'schemaOffset'> {
  return { offset: node.offset, schemaOffset: value.offset };
}

/** A schema may have a property called `constructor`, which every object inherits. */
function ownValue<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function childOf(node: DocumentNode, part: string): DocumentNode | undefined {
  if (node.kind === 'map') return node.entries.get(part)?.value;
  return node.kind === 'list' ? listOfSchemas(node)[Number(part)] : undefined;
}

/** Decodes a segment of a JSON pointer in a URI. */
function unescaped(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}
