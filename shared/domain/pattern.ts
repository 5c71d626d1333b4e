import { RE2JS } from 're2js';
import type { AnnotationProblemCode } from './annotation-problem';
import { cutToBytes } from './cut-to-bytes';
import { errorMessage } from './errors';

/** An element of a list that can never do what its author meant. */
export interface PatternProblem {
  readonly code: AnnotationProblemCode;
  readonly element: string;
  readonly message: string;
  readonly fix: string;
}

/**
 * The names that a workload lists, as literal names and RE2 patterns. RE2 runs in linear time: anybody who may annotate
 * a workload chooses the pattern.
 */
export class NamedList {
  /** Elements that match just themselves, so that an index can find them without trying. */
  readonly literals: readonly string[];
  readonly #patterns: readonly RE2JS[];

  constructor(literals: readonly string[], patterns: readonly RE2JS[]) {
    this.literals = literals;
    this.#patterns = patterns;
  }

  get hasPatterns(): boolean {
    return this.#patterns.length > 0;
  }

  get isEmpty(): boolean {
    return this.literals.length === 0 && !this.hasPatterns;
  }

  matches(name: string): boolean {
    return this.literals.includes(name) || this.#patterns.some((pattern) => pattern.matcher(name).find());
  }

  /** Equal for lists that match the same way. */
  toString(): string {
    return [...this.literals, ...this.#patterns.map((pattern) => pattern.pattern())].join(',');
  }
}

/** What a missing or empty list is: Reloader's pattern `^$`, which matches no object's name. */
export const emptyNamedList = new NamedList([], []);

const literalName = /^[a-z0-9-]+$/;
const maxQuotedBytes = 60;
const redundant = /^error parsing regexp: /;
/** What is left of `a{1,3}` before its comma: a legal pattern, of a name with a brace in it. */
const tornRepetition = /(?<!\\)\{\d*$/;
const looseAlternative = /^[^()[\]\\]*\|/;

/** Instructions of all patterns of a list together: each try costs time and each list memory for as long as it lives. */
const maxInstructions = 10_000;
const instructionsOfAny = 20;
/** By its largest number; in a list there is no `{2,3}`, as the comma ends the element. */
const repetition = /\{(?:\d+,)?(\d+),?\}/g;

/** What stands between commas: in this list patterns, in an exclude list exact names. */
export function namesIn(list: string): readonly string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/**
 * Reloader's named list: elements between commas, trimmed, each an RE2 pattern between `^` and `$`. The anchors are
 * glued on without a group, so `foo|bar` matches what begins with foo or ends with bar: users depend on it.
 * A bad element is a problem and the others still count.
 */
export function parseNamedList(value: string | undefined): {
  readonly matchers: NamedList;
  readonly problems: readonly PatternProblem[];
} {
  const elements = namesIn(value ?? '');
  if (elements.length === 0) return { matchers: emptyNamedList, problems: [] };
  const patterns: RE2JS[] = [];
  const problems: PatternProblem[] = [];
  let instructionsLeft = maxInstructions;
  for (const element of elements.filter((candidate) => !literalName.test(candidate))) {
    instructionsLeft -= instructionsAtMost(element);
    if (instructionsLeft < 0) {
      problems.push(tooLarge(element));
      break;
    }
    const compiled = compile(element);
    if ('message' in compiled) {
      problems.push(compiled);
    } else {
      patterns.push(compiled.pattern);
      if (looseAlternative.test(element)) problems.push(loose(element));
      if (tornRepetition.test(element)) problems.push(torn(element));
    }
  }
  const literals = elements.filter((element) => literalName.test(element));
  return { matchers: new NamedList(literals, patterns), problems };
}

/**
 * A pattern of ECMAScript, as JSON Schemas have them, to be found anywhere in a text, in linear time; undefined for what
 * RE2 does not know, such as look-around, and for what is too large.
 */
export function searchPattern(pattern: string): { readonly isIn: (text: string) => boolean } | undefined {
  if (instructionsAtMost(pattern) > maxInstructions) return undefined;
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return { isIn: (text) => compiled.matcher(text).find() };
  } catch {
    return undefined;
  }
}

function compile(element: string): { readonly pattern: RE2JS } | PatternProblem {
  try {
    return { pattern: RE2JS.compile(`^${element}$`) };
  } catch (error) {
    return {
      code: 'bad-pattern',
      element,
      // It quotes the pattern, which is as long as its author liked.
      message: `is not a valid RE2 pattern (${cutToBytes(errorMessage(error).replace(redundant, ''), maxQuotedBytes)})`,
      fix: 'write a name or an RE2 pattern; a comma always ends the pattern',
    };
  }
}

/** Told before compiling, which is the costly part: a group is repeated as a whole, and repetitions multiply within it. */
function instructionsAtMost(element: string): number {
  const counts = [...element.matchAll(repetition)].map(([, count]) => Number(count));
  const repeated = element.includes('(')
    ? element.length * counts.reduce((product, count) => product * Math.max(1, count), 1)
    : element.length + counts.reduce((sum, count) => sum + count, 0);
  return instructionsOfAny + repeated;
}

function tooLarge(element: string): PatternProblem {
  return {
    code: 'pattern-refused',
    element,
    message: 'and every pattern after it are ignored, since together they are too large',
    fix: 'repeat less in the patterns, or list names instead',
  };
}

function loose(element: string): PatternProblem {
  return {
    code: 'pattern-loose',
    element,
    message: 'matches every name that begins with its first alternative or ends with its last one',
    fix: `write (${cutToBytes(element, maxQuotedBytes)}) to match whole names`,
  };
}

function torn(element: string): PatternProblem {
  return {
    code: 'bad-pattern',
    element,
    message: 'is cut off in its braces: a comma always ends the pattern',
    fix: 'write the repetition without a comma',
  };
}
