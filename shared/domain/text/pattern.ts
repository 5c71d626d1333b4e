import { RE2JS } from 're2js';
import { budgets, isLongerThan } from '../budgets';
import { cutToBytes } from './cut-to-bytes';
import { errorMessage } from '../errors';

/** An element of a list that can never do what its author meant. */
export interface PatternProblem {
  readonly code: 'over-budget' | 'bad-pattern' | 'pattern-refused' | 'pattern-loose';
  readonly element: string;
  readonly message: string;
  readonly fix: string;
}

/** An element that matches more than itself. */
interface NamePattern {
  readonly text: string;
  matches(name: string): boolean;
}

/**
 * The names that a workload lists, as literal names and RE2 patterns. RE2 runs in linear time: anybody who may annotate
 * a workload chooses the pattern.
 */
export class NamedList {
  /** Elements that match just themselves, so that an index can find them without trying. */
  readonly literals: ReadonlySet<string>;
  readonly #patterns: readonly NamePattern[];

  constructor(literals: Iterable<string>, patterns: readonly NamePattern[]) {
    this.literals = new Set(literals);
    this.#patterns = patterns;
  }

  get hasPatterns(): boolean {
    return this.#patterns.length > 0;
  }

  get isEmpty(): boolean {
    return this.literals.size === 0 && !this.hasPatterns;
  }

  matches(name: string): boolean {
    return this.literals.has(name) || this.#patterns.some((pattern) => pattern.matches(name));
  }

  /** Equal for lists that match the same way. */
  toString(): string {
    return [...this.literals, ...this.#patterns.map(({ text }) => text)].join(',');
  }
}

/** What a missing or empty list is: Reloader's pattern `^$`, which matches no object's name. */
export const emptyNamedList = new NamedList([], []);

const literalName = /^[a-z0-9-]+$/;
/** A name with dots, each of which stands for any character. */
const dottedName = /^[a-z0-9.-]+$/;
const maxQuotedBytes = 60;
const redundant = /^error parsing regexp: /;
/** What is left of `a{1,3}` before its comma: a legal pattern, of a name with a brace in it. */
const tornRepetition = /(?<!\\)\{\d*$/;
const looseAlternative = /^[^()[\]\\]*\|/;

/** What any pattern takes, whatever its length. */
const instructionsOfAny = 10;
/** A class of Unicode, such as `\pL`, which has hundreds of ranges. */
const unicodeClass = /\\p/gi;
const instructionsOfClass = 100;
/** By its largest number; in a list there is no `{2,3}`, as the comma ends the element. */
const repetition = /\{(?:\d+,)?(\d+),?\}/g;

/**
 * What stands between commas: in this list patterns, in an exclude list exact names. None of a list that is over its budget:
 * half of it would be no list that anybody wrote.
 */
export function namesIn(list: string): readonly string[] {
  return overBudget(list) ? [] : elementsOf(list);
}

/** Why a list is ignored as a whole; undefined where it is within its budget. */
export function overBudget(list: string): Pick<PatternProblem, 'message' | 'fix'> | undefined {
  const fix = 'list fewer names';
  if (isLongerThan(list, budgets.listBytes)) {
    return { message: `has more than ${budgets.listBytes} bytes and is ignored as a whole`, fix };
  }
  if (elementsOf(list).length > budgets.listNames) {
    return { message: `has more than ${budgets.listNames} names and is ignored as a whole`, fix };
  }
  return undefined;
}

function elementsOf(list: string): readonly string[] {
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
  const list = value ?? '';
  const over = overBudget(list);
  if (over) return { matchers: emptyNamedList, problems: [{ code: 'over-budget', element: list, ...over }] };
  const elements = elementsOf(list);
  if (elements.length === 0) return { matchers: emptyNamedList, problems: [] };
  const patterns: NamePattern[] = [];
  const problems: PatternProblem[] = [];
  let sizeLeft: number = budgets.listPatternSize;
  for (const element of elements.filter((candidate) => !literalName.test(candidate))) {
    if (dottedName.test(element)) {
      patterns.push(dotted(element));
      continue;
    }
    const size = instructionsAtMost(element);
    const isTooLarge = size > budgets.patternSize;
    sizeLeft -= isTooLarge ? 0 : size;
    if (sizeLeft < 0) {
      problems.push(tooLarge(element));
      break;
    }
    const compiled = isTooLarge ? tooLargeAlone(element) : compile(element);
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
export function searchPattern(
  pattern: string,
  maxSize: number = budgets.schemaPatternSize,
): { readonly size: number; readonly isIn: (text: string) => boolean } | undefined {
  const size = instructionsAtMost(pattern);
  if (size > maxSize) return undefined;
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return { size, isIn: (text) => compiled.test(text) };
  } catch {
    return undefined;
  }
}

/** Without RE2: who lists names with dots may list many. No name has a line end, which a dot does not stand for. */
function dotted(element: string): NamePattern {
  const fits = (name: string, index: number): boolean => element[index] === '.' || element[index] === name[index];
  return {
    text: element,
    matches: (name) => {
      if (name.length !== element.length || name.includes('\n')) return false;
      for (let index = 0; index < name.length; index++) if (!fits(name, index)) return false;
      return true;
    },
  };
}

function compile(element: string): { readonly pattern: NamePattern } | PatternProblem {
  try {
    const compiled = RE2JS.compile(`^${element}$`);
    return { pattern: { text: compiled.pattern(), matches: (name) => compiled.test(name) } };
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
  const classes = element.match(unicodeClass)?.length ?? 0;
  return instructionsOfAny + repeated + classes * instructionsOfClass;
}

function tooLargeAlone(element: string): PatternProblem {
  return {
    code: 'pattern-refused',
    element,
    message: 'is ignored, since it is too large',
    fix: 'repeat less in the pattern, or list names instead',
  };
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
