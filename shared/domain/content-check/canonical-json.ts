import { canonicalMap, NoCanonicalFormError, type CanonicalForm } from './canonical-form';
import { maxNesting, NestingError } from './document-node';

const token = /\s*("[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+)/y;

/** Numbers stay as they are written: readers differ in how many digits of them they keep. */
export const canonicalJson: CanonicalForm = (text) => {
  // V8's parser decides what is JSON, so that only valid tokens are left to read.
  JSON.parse(text);
  return new Tokens(text).value(0);
};

class Tokens {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): string {
    if (depth > maxNesting) throw new NestingError();
    const first = this.#next();
    if (first === '{') return this.#map(depth);
    if (first === '[') return this.#list(depth);
    return first.startsWith('"') ? sameString(first) : first;
  }

  #map(depth: number): string {
    const entries: (readonly [string, string])[] = [];
    for (let key = this.#next(); key !== '}'; key = this.#next()) {
      if (key === ',') continue;
      this.#next();
      entries.push([sameString(key), this.value(depth + 1)]);
    }
    return canonicalMap(entries);
  }

  #list(depth: number): string {
    const items: string[] = [];
    for (let at = this.#at, next = this.#next(); next !== ']'; at = this.#at, next = this.#next()) {
      if (next === ',') continue;
      this.#at = at;
      items.push(this.value(depth + 1));
    }
    return `[${items.join(',')}]`;
  }

  #next(): string {
    token.lastIndex = this.#at;
    const found = token.exec(this.#text)?.[1];
    if (found === undefined) throw new NoCanonicalFormError('it is not JSON');
    this.#at = token.lastIndex;
    return found;
  }
}

/** The same text for all ways to escape it. */
function sameString(quoted: string): string {
  return JSON.stringify(JSON.parse(quoted));
}
