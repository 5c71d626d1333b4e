import { Composer, isAlias, isMap, isPair, isScalar, isSeq, Parser } from 'yaml';
import type { Alias, CST, ErrorCode, Node, Pair, YAMLMap } from 'yaml';
import { type ContentParser, type DocumentNode, type MapEntry, maxNesting, NestingError } from './document-node';

const reasons: Readonly<Partial<Record<ErrorCode, string>>> = {
  ALIAS_PROPS: 'an alias has no anchor and no tag of its own',
  BAD_ALIAS: 'an alias needs a name, and no colon at its end',
  BAD_COLLECTION_TYPE: 'a tag does not fit its value',
  BAD_DIRECTIVE: 'this is not a directive',
  BAD_DQ_ESCAPE: 'this is not an escape sequence',
  BAD_INDENT: 'the indentation is wrong, or a bracket or brace is not closed',
  BAD_PROP_ORDER: 'an anchor or a tag is in the wrong place',
  BAD_SCALAR_START: 'a value that begins with this character needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a mapping cannot begin here: a value with a colon needs quotes',
  BLOCK_IN_FLOW: 'a block cannot appear within brackets or braces',
  DUPLICATE_KEY: 'this key appears twice',
  KEY_OVER_1024_CHARS: 'a key may have up to 1024 characters',
  MISSING_CHAR: 'a character is missing here: a quote, a comma, a colon, a space or a bracket',
  MULTILINE_IMPLICIT_KEY: 'a key and its colon must be on one line',
  MULTIPLE_ANCHORS: 'a value can have one anchor',
  MULTIPLE_TAGS: 'a value can have one tag',
  TAB_AS_INDENT: 'a tab cannot be used for indentation',
  TAG_RESOLVE_FAILED: 'a tag does not fit its value',
  UNEXPECTED_TOKEN: 'this is not allowed here',
};

/**
 * YAML 1.2, any number of documents. The library finds duplicate keys by comparing every pair, and the anchor of an
 * alias by walking the document, so a hostile text takes endless time. Here both use a lookup table.
 */
export const parseYamlContent: ContentParser = (text) => {
  const tokens = [...new Parser().parse(text)];
  if (isTooDeep(tokens)) throw new NestingError();
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  const documents = [...composer.compose(tokens)];
  const [error] = documents.flatMap(({ errors }) => errors);
  if (error) return { fault: { offset: error.pos[0], reason: reasons[error.code] ?? 'this is not YAML' } };
  try {
    const trees = documents.flatMap(({ contents }) => (contents ? [new TreeBuilder().node(contents)] : []));
    return { documents: () => trees };
  } catch (thrown) {
    if (thrown instanceof Refusal) return { fault: thrown };
    throw thrown;
  }
};

/** The lexer does not recurse, but the composer that runs next recurses for each level. */
function isTooDeep(tokens: readonly CST.Token[]): boolean {
  let level = tokens;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxNesting) return true;
    level = level.flatMap(tokensWithin);
  }
  return false;
}

function tokensWithin(token: CST.Token): readonly CST.Token[] {
  if (token.type === 'document') return token.value ? [token.value] : [];
  if (!('items' in token)) return [];
  return token.items.flatMap(({ key, value }) => [...(key ? [key] : []), ...(value ? [value] : [])]);
}

class Refusal extends Error {
  readonly offset: number;
  readonly reason: string;

  constructor(offset: number, reason: string) {
    super(reason);
    this.offset = offset;
    this.reason = reason;
  }
}

/** Builds one document. An alias becomes its anchor's own node, so that an alias bomb is as small as its text. */
class TreeBuilder {
  /** Undefined while the anchored value is being built: an alias within it would be endless. */
  readonly #anchors = new Map<string, DocumentNode | undefined>();

  node(node: Node): DocumentNode {
    if (isAlias(node)) return this.#anchored(node);
    const anchor = 'anchor' in node ? node.anchor : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    const built = this.#built(node);
    if (anchor !== undefined) this.#anchors.set(anchor, built);
    return built;
  }

  #anchored(alias: Alias): DocumentNode {
    const target = this.#anchors.get(alias.source);
    if (target) return target;
    const isWithin = this.#anchors.has(alias.source);
    throw new Refusal(
      offsetOf(alias),
      isWithin ? 'an alias refers to a value that contains it' : 'an alias has no anchor',
    );
  }

  #built(node: Exclude<Node, Alias>): DocumentNode {
    const offset = offsetOf(node);
    if (isMap(node)) return { kind: 'map', offset, entries: this.#entries(node) };
    if (isSeq(node)) {
      const items = node.items.map((item) =>
        // `[a: 1]` is a list of one map.
        isPair(item) ? this.#mapOfOne(item as Pair<Node, Node | null>) : this.node(item as Node),
      );
      return { kind: 'list', offset, items };
    }
    return { kind: 'scalar', offset, value: isScalar(node) ? scalarValue(node.value) : null };
  }

  #mapOfOne(pair: Pair<Node, Node | null>): DocumentNode {
    const entries = new Map<string, MapEntry>();
    this.#addEntry(entries, new Set(), pair);
    return { kind: 'map', offset: offsetOf(pair.key), entries };
  }

  #entries(map: YAMLMap): ReadonlyMap<string, MapEntry> {
    const entries = new Map<string, MapEntry>();
    const seen = new Set<unknown>();
    for (const pair of map.items as readonly Pair<Node, Node | null>[]) this.#addEntry(entries, seen, pair);
    return entries;
  }

  #addEntry(entries: Map<string, MapEntry>, seen: Set<unknown>, { key, value }: Pair<Node, Node | null>): void {
    const keyOffset = offsetOf(key);
    const keyNode = this.node(key);
    const built: DocumentNode = value ? this.node(value) : { kind: 'scalar', offset: keyOffset, value: null };
    // A key that is itself a map or a list has no name that a schema could refer to.
    if (keyNode.kind !== 'scalar') return;
    // A map may contain several merges.
    if (seen.has(keyNode.value) && keyNode.value !== '<<') throw new Refusal(keyOffset, 'this key appears twice');
    seen.add(keyNode.value);
    entries.set(String(keyNode.value), { keyOffset, value: built });
  }
}

function offsetOf(node: Node | null): number {
  return node?.range?.[0] ?? 0;
}

/** Tags may create values beyond JSON's types, such as dates and bytes. A schema sees them as strings. */
function scalarValue(value: unknown): string | number | boolean | null {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return value;
    case 'bigint':
      return Number(value);
    default:
      return value === null ? null : '';
  }
}
