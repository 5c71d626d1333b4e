import { isAlias, isMap, isPair, isScalar, isSeq, Scalar } from 'yaml';
import type { Alias, Node, Pair, YAMLMap } from 'yaml';
import type { ContentParser, DocumentNode, MapEntry, MapNode } from './document-node';
import { composeYaml, yamlFault } from './yaml-documents';

/**
 * Limit of keys that merges bring into the maps of a text; an empty map counts as one. Aliases may merge the same thousand
 * keys, or a list of a thousand empty maps, thousands of times.
 */
const mostMergedKeys = 16_384;

/**
 * YAML 1.2, any number of documents, and the merges of YAML 1.1, which most readers of 1.2 know too. The library finds
 * duplicate keys by comparing every pair, and the anchor of an alias by walking the document, so a hostile text takes
 * endless time. Here both use a lookup table.
 */
export const parseYamlContent: ContentParser = (text) => {
  const documents = composeYaml(text);
  const [error] = documents.flatMap(({ errors }) => errors);
  if (error) return { fault: yamlFault(error) };
  try {
    const builder = new TreeBuilder();
    const trees = documents.flatMap(({ contents }) => (contents ? [builder.document(contents)] : []));
    return { documents: () => trees };
  } catch (thrown) {
    if (thrown instanceof Refusal) return { fault: thrown };
    throw thrown;
  }
};

class Refusal extends Error {
  readonly offset: number;
  readonly reason: string;

  constructor(offset: number, reason: string) {
    super(reason);
    this.offset = offset;
    this.reason = reason;
  }
}

/** Builds the documents of a text. An alias becomes its anchor's own node, so that an alias bomb is as small as its text. */
class TreeBuilder {
  /** Undefined while the anchored value is being built: an alias within it would be endless. */
  readonly #anchors = new Map<string, DocumentNode | undefined>();
  #mergedKeys = 0;

  /** An anchor is known only within its document. */
  document(contents: Node): DocumentNode {
    this.#anchors.clear();
    return this.node(contents);
  }

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
    return { kind: 'scalar', offset, value: isScalar(node) ? scalarValue(node) : null };
  }

  #mapOfOne(pair: Pair<Node, Node | null>): DocumentNode {
    const entries = new Map<string, MapEntry>();
    this.#addEntry(entries, new Set(), pair);
    return { kind: 'map', offset: offsetOf(pair.key), entries };
  }

  #entries(map: YAMLMap): ReadonlyMap<string, MapEntry> {
    const entries = new Map<string, MapEntry>();
    const seen = new Set<unknown>();
    const merged: MapNode[] = [];
    for (const pair of map.items as readonly Pair<Node, Node | null>[]) {
      const value = this.#addEntry(entries, seen, pair);
      if (isMergeKey(pair.key) && this.#mergedKeys <= mostMergedKeys) merged.push(...mapsOf(value));
    }
    this.#merge(entries, merged);
    return entries;
  }

  /** Adds the entries of other maps: those of the map itself count before them, and those of the first before others. */
  #merge(entries: Map<string, MapEntry>, merged: readonly MapNode[]): void {
    this.#mergedKeys += merged.reduce((sum, { entries: { size } }) => sum + Math.max(1, size), 0);
    // Beyond the limit, a merge stays a property of that name.
    if (merged.length === 0 || this.#mergedKeys > mostMergedKeys) return;
    entries.delete(mergeKey);
    for (const { entries: more } of merged) {
      for (const [name, entry] of more) if (!entries.has(name)) entries.set(name, entry);
    }
  }

  #addEntry(entries: Map<string, MapEntry>, seen: Set<unknown>, { key, value }: Pair<Node, Node | null>): DocumentNode {
    const keyOffset = offsetOf(key);
    const keyNode = this.node(key);
    const built: DocumentNode = value ? this.node(value) : { kind: 'scalar', offset: keyOffset, value: null };
    // A key that is itself a map or a list has no name that a schema could refer to.
    if (keyNode.kind !== 'scalar') return built;
    // A map may contain several merges.
    if (seen.has(keyNode.value) && keyNode.value !== mergeKey) throw new Refusal(keyOffset, 'this key appears twice');
    seen.add(keyNode.value);
    entries.set(String(keyNode.value), { keyOffset, value: built });
    return built;
  }
}

const mergeKey = '<<';

/** In quotes it is the name of a property. With `%YAML 1.1` or the tag `!!merge`, the library makes it a symbol. */
function isMergeKey(key: Node): boolean {
  if (!isScalar(key)) return false;
  return typeof key.value === 'symbol' || (key.value === mergeKey && key.type === Scalar.PLAIN);
}

/** What a merge brings: a map, or a list of maps. */
function mapsOf(value: DocumentNode): readonly MapNode[] {
  if (value.kind === 'map') return [value];
  const items = value.kind === 'list' ? value.items : [];
  const maps = items.filter((item) => item.kind === 'map');
  return maps.length === items.length ? maps : [];
}

function offsetOf(node: Node | null): number {
  return node?.range?.[0] ?? 0;
}

const floatTag = 'tag:yaml.org,2002:float';

/**
 * Tags may create values beyond JSON's types, such as dates and bytes, and so does YAML 1.1. A schema sees them as they are
 * written. An integer with the tag of floats is a number, but not to the library.
 */
function scalarValue({ value, source = '', tag }: Scalar): string | number | boolean | null {
  switch (typeof value) {
    case 'string':
      return tag === floatTag && /^[-+]?\d+$/.test(value) ? Number(value) : value;
    case 'number':
    case 'boolean':
      return value;
    case 'bigint':
      return Number(value);
    case 'symbol':
      return mergeKey;
    default:
      return value === null ? null : source;
  }
}
