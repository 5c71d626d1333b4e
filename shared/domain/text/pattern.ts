import { RE2JS } from 're2js';
import { budgets, isLongerThan } from '../budgets';
import { cutToBytes } from './cut-to-bytes';
import { errorMessage } from '../errors';
import { nameAutomaton } from './name-automaton';

/** An element of a list that cannot do what its author meant. */
export interface PatternProblem {
  readonly code: 'over-budget' | 'bad-pattern' | 'pattern-refused' | 'pattern-loose';
  readonly element: string;
  readonly message: string;
  readonly fix: string;
}

/** An element that matches more than one name. */
interface NamePattern {
  readonly text: string;
  matches(name: string): boolean;
}

/**
 * The names that a workload lists, as literal names and RE2 patterns. Anybody who may annotate a workload chooses the
 * patterns, and a name takes one step for each character in each of them.
 */
export class NamedList {
  /** Elements that match only themselves: an index finds them without running a pattern. */
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

  /** Lists with the same text match the same names. */
  toString(): string {
    return [...this.literals, ...this.#patterns.map(({ text }) => text)].join(',');
  }
}

/** A missing or empty list: Reloader's pattern `^$`, which matches no object name. */
export const emptyNamedList = new NamedList([], []);

const nothing: readonly string[] = [];

const literalName = /^[a-z0-9-]+$/;
/** A name with dots; as a pattern, each dot matches any character. */
const dottedName = /^[a-z0-9.-]+$/;
const maxQuotedBytes = 60;
const redundant = /^error parsing regexp: /;
/** The part of `a{1,3}` before the comma. RE2 accepts it, but as a name with a literal brace in it. */
const tornRepetition = /(?<!\\)\{\d*$/;
const looseAlternative = /^[^()[\]\\]*\|/;

/** Instructions that every pattern takes, whatever its length. */
const instructionsOfAny = 10;
/** A Unicode class such as `\pL`, which has hundreds of ranges. */
const unicodeClass = /\\p/gi;
const instructionsOfClass = 100;
/** The largest number in the repetition. A list has no `{2,3}`, because the comma ends the element. */
const repetition = /\{(?:\d+,)?(\d+),?\}/g;

/**
 * The elements between commas: patterns in a reload list, exact names in an exclude list. Empty for a list over its
 * budget, because nobody asked for only a part of that list.
 */
export function namesIn(list: string): readonly string[] {
  return overBudget(list) ? [] : elementsOf(list);
}

/** Why the whole list is ignored; undefined if it is within its budget. */
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
  // Most workloads list nothing, and six lists are read for each event of a workload.
  if (list === '') return nothing;
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/**
 * Parses Reloader's named list: elements between commas, trimmed, each an RE2 pattern between `^` and `$`. The anchors
 * are added without a group, so `foo|bar` matches names that begin with foo or end with bar; users depend on it. A bad
 * element is reported as a problem, and the others still count.
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
  let stepsLeft: number = budgets.listPatternSteps;
  for (const element of elements.filter((candidate) => !literalName.test(candidate))) {
    if (dottedName.test(element)) {
      patterns.push(dotted(element));
      continue;
    }
    const size = instructionsAtMost(element);
    const isTooLarge = size > budgets.patternSize;
    sizeLeft -= isTooLarge ? 0 : size;
    if (sizeLeft < 0 || stepsLeft <= 0) {
      problems.push(tooLarge(element));
      break;
    }
    const compiled = isTooLarge
      ? { problem: tooLargeAlone(element), steps: 0 }
      : compile(element, Math.min(stepsLeft, budgets.patternSteps));
    stepsLeft -= compiled.steps;
    if ('problem' in compiled) {
      problems.push(compiled.problem);
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
 * Compiles an ECMAScript pattern of a JSON Schema, which may match anywhere in a text, in linear time. Undefined for
 * patterns that RE2 does not support, such as look-around, and for patterns that are too large.
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

/**
 * Matches without RE2, since lists of names with dots may be long. Kubernetes names contain no line end, the one
 * character that a dot does not match.
 */
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

type Compiled = { readonly steps: number } & ({ readonly pattern: NamePattern } | { readonly problem: PatternProblem });

function compile(element: string, maxSteps: number): Compiled {
  try {
    const compiled = RE2JS.compile(`^${element}$`);
    const automaton = nameAutomaton(compiled, maxSteps);
    if (!automaton) return { problem: tooLargeAlone(element), steps: maxSteps };
    return { pattern: { text: compiled.pattern(), matches: automaton.matches }, steps: automaton.steps };
  } catch (error) {
    return { problem: badPattern(element, errorMessage(error)), steps: 0 };
  }
}

function badPattern(element: string, reason: string): PatternProblem {
  return {
    code: 'bad-pattern',
    element,
    // The error quotes the pattern, which may have any length.
    message: `is not a valid RE2 pattern (${cutToBytes(reason.replace(redundant, ''), maxQuotedBytes)})`,
    fix: 'write a name or an RE2 pattern; a comma always ends the pattern',
  };
}

/** An upper bound, computed before the costly compilation: repetitions multiply the size of the group within them. */
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
