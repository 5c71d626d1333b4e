import { hash } from 'node:crypto';
import { isAlias, isMap, isPair, isScalar, isSeq, Scalar } from 'yaml';
import type { Alias, Document, Node, Pair } from 'yaml';
import { canonicalMap, NoCanonicalFormError, type CanonicalForm } from './canonical-form';
import { composeYaml } from './yaml-documents';

/**
 * Any number of documents, whose order counts. A scalar without quotes stays as it is written, and differs from one with
 * quotes: readers of YAML 1.1 and 1.2 disagree about what `yes`, `1_000` or `012` is, and this must be right for all of
 * them.
 */
export const canonicalYaml: CanonicalForm = (text) => composeYaml(text).map(canonicalDocument).join('\n');

function canonicalDocument({ errors, warnings, contents, directives }: Document.Parsed): string {
  if (errors.length + warnings.length > 0) throw new NoCanonicalFormError('it is not YAML');
  const version = directives.yaml.explicit === true ? directives.yaml.version : '';
  return `${version} ${contents ? new Reader().node(contents) : ''}`;
}

/** Reads one document in its order, in which an anchor precedes its aliases. */
class Reader {
  /** Undefined while the anchored value is being read: an alias within it would be endless. */
  readonly #anchors = new Map<string, string | undefined>();

  node(node: Node): string {
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (target === undefined) throw new NoCanonicalFormError('an alias has no anchor before it');
      return target;
    }
    const { anchor } = node;
    if (anchor === undefined) return this.#value(node);
    this.#anchors.set(anchor, undefined);
    // The hash keeps an alias bomb as small as its text.
    const value = `&${hash('sha256', this.#value(node), 'base64url')}`;
    this.#anchors.set(anchor, value);
    return value;
  }

  #value(node: Exclude<Node, Alias>): string {
    const tag = node.tag === undefined ? '' : `!${JSON.stringify(node.tag)}`;
    if (isMap(node)) return tag + this.#map(node.items as readonly Pair<Node, Node | null>[]);
    if (isSeq(node)) {
      const items = node.items.map((item) =>
        // `[a: 1]` is a list of one map.
        isPair(item) ? this.#map([item as Pair<Node, Node | null>]) : this.node(item as Node),
      );
      return `${tag}[${items.join(',')}]`;
    }
    const { source, type } = node;
    if (source === undefined) throw new NoCanonicalFormError('a value is not as it was written');
    const quoted = JSON.stringify(source);
    return tag + (type === Scalar.PLAIN ? `plain${quoted}` : quoted);
  }

  #map(pairs: readonly Pair<Node, Node | null>[]): string {
    // Quotes, a tag or an anchor do not make another key: a reader takes the last of `a` and `"a"`, and here they are sorted.
    const names = pairs.flatMap(({ key }) => nameOf(key) ?? []);
    if (new Set(names).size < names.length) throw new NoCanonicalFormError('a key appears twice');
    return canonicalMap(pairs.map(({ key, value }) => [this.node(key), value ? this.node(value) : '']));
  }
}

/** Undefined for a key that is itself a map or a list. */
function nameOf(key: Node): string | undefined {
  if (isAlias(key)) throw new NoCanonicalFormError('a key is an alias');
  return isScalar(key) ? key.source : undefined;
}
