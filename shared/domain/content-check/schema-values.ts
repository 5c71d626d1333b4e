import type { DocumentNode, ListNode, MapNode } from './document-node';
import { RerollError } from '../errors';

/** Readers for values in a schema. They throw SchemaError for values that the specification does not allow there. */

function malformed(node: DocumentNode): SchemaError {
  return new SchemaError('this value is not allowed here in a schema', node.offset);
}

export function mapOf(node: DocumentNode): MapNode {
  if (node.kind === 'map') return node;
  throw malformed(node);
}

export function listOfSchemas(node: DocumentNode): ListNode['items'] {
  if (node.kind === 'list') return node.items;
  throw malformed(node);
}

export function textOf(node: DocumentNode): string {
  if (node.kind === 'scalar' && typeof node.value === 'string') return node.value;
  throw malformed(node);
}

export function numberOf(node: DocumentNode): number {
  if (node.kind === 'scalar' && typeof node.value === 'number') return node.value;
  throw malformed(node);
}

/** A length or a number of items. `-1` does not mean that there is no limit. */
export function countOf(node: DocumentNode): number {
  const count = numberOf(node);
  if (Number.isInteger(count) && count >= 0) return count;
  throw malformed(node);
}

export function divisorOf(node: DocumentNode): number {
  const divisor = numberOf(node);
  if (divisor > 0) return divisor;
  throw malformed(node);
}

const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** One name of a type or several. No value has a type such as `int`: it is a typo, and not a fault of the content. */
export function typesOf(node: DocumentNode): readonly string[] {
  const names = textsOf(node);
  if (names.every((name) => types.includes(name))) return names;
  throw malformed(node);
}

/** One text or several. */
export function textsOf(node: DocumentNode): readonly string[] {
  return node.kind === 'list' ? node.items.map(textOf) : [textOf(node)];
}

/** A schema that cannot be used, or not within the budget: nothing is known about the content then. */
export class SchemaError extends RerollError {
  /** Position in the schema's text; undefined for the whole schema. */
  readonly offset: number | undefined;
  /** One of a fixed set of texts. */
  readonly reason: string;

  constructor(reason: string, offset?: number, code: 'SCHEMA_UNREADABLE' | 'SCHEMA_TOO_COMPLEX' = 'SCHEMA_UNREADABLE') {
    super(reason, { code });
    this.reason = reason;
    this.offset = offset;
  }
}
