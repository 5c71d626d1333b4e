import { hash } from 'node:crypto';
import { budgets } from '../budgets';
import { RerollError } from '../errors';

/** A list of keys cannot be read. */
export class KeyFilterError extends RerollError {
  readonly problem: 'bad-keys' | 'over-budget';

  constructor(message: string, problem: KeyFilterError['problem'] = 'bad-keys') {
    super(message, { code: 'BAD_KEY_FILTER' });
    this.problem = problem;
  }
}

/** Letters that occur in keys, also in the object ids of CSI drivers, and the two wildcards. */
const element = /^!?[-\w./:*?]+$/;
const idLength = 8;

/** Which keys of a source count: all that a list names, or all if it names none, but never those behind a `!`. */
export class KeyFilter {
  /** The list with its elements in one order. Filters with the same text let the same keys count. */
  readonly text: string;
  /** Short enough for a baseline, and the same for the same text. */
  readonly id: string;
  readonly #counted: Names;
  readonly #leftOut: Names;

  constructor(elements: readonly string[]) {
    const sorted = [...new Set(elements)].sort();
    this.text = sorted.join(',');
    this.id = hash('sha256', this.text, 'base64url').slice(0, idLength);
    this.#counted = new Names(sorted.filter((each) => !each.startsWith('!')));
    this.#leftOut = new Names(sorted.flatMap((each) => (each.startsWith('!') ? [each.slice(1)] : [])));
  }

  counts(key: string): boolean {
    return (this.#counted.isEmpty || this.#counted.include(key)) && !this.#leftOut.include(key);
  }
}

/** Names and patterns, as in `app.yaml,!comment.*`. @throws KeyFilterError */
export function parseKeyFilter(text: string): KeyFilter {
  if (text.length > budgets.keyFilterLength) {
    throw new KeyFilterError(`it has more than ${budgets.keyFilterLength} characters`, 'over-budget');
  }
  const elements = text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  if (elements.length === 0) throw new KeyFilterError('it names no key');
  if (!elements.every((each) => element.test(each)))
    throw new KeyFilterError('an element is neither a name nor a pattern');
  return new KeyFilter(elements);
}

/** Names, some of which may have wildcards. */
class Names {
  readonly #literals: ReadonlySet<string>;
  readonly #patterns: readonly string[];

  constructor(names: readonly string[]) {
    this.#literals = new Set(names.filter((name) => !/[*?]/.test(name)));
    this.#patterns = names.filter((name) => /[*?]/.test(name));
  }

  get isEmpty(): boolean {
    return this.#literals.size === 0 && this.#patterns.length === 0;
  }

  include(key: string): boolean {
    return this.#literals.has(key) || this.#patterns.some((pattern) => matches(pattern, key));
  }
}

/**
 * Whether `pattern` matches the whole name. Only the last `*` ever takes more characters than at first, so the time is
 * bounded by the product of the two lengths, whoever wrote them.
 */
function matches(pattern: string, name: string): boolean {
  let [at, nameAt] = [0, 0];
  let star: { readonly next: number; taken: number } | undefined;
  while (nameAt < name.length) {
    const wanted = pattern[at];
    if (wanted === '*') {
      star = { next: ++at, taken: nameAt };
    } else if (wanted === '?' || wanted === name[nameAt]) {
      at++;
      nameAt++;
    } else if (star) {
      at = star.next;
      nameAt = ++star.taken;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}
