import { RerollError } from '../../domain/errors';
import { nearest } from '../../domain/text/nearest';
import { parseCsvRecord } from './csv-record';
import {
  claimsToBeOption,
  envPrefix,
  isServiceLink,
  optionEnv,
  type OptionRow,
  type OptionTable,
  type OptionValues,
} from './option-table';
import { variablesOfCommands } from './variables-of-commands';

/**
 * Limit of suggestions. With more problems than this, another tool's command line was passed, and a thousand
 * comparisons help nobody.
 */
const maxSuggestions = 20;

export type Environment = Readonly<Record<string, string | undefined>>;

const usageErrorCode = 'USAGE';

/** Bad flags or variables. One problem per line, so that a person can fix them all before the next try. */
export class UsageError extends RerollError {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'), { code: usageErrorCode });
    this.problems = problems;
  }
}

/**
 * Also true for those of another folder of the bundle. Each has the class in a file of its own, so `instanceof` does not know
 * them (docs/decisions/0015-a-bundle-in-parts.md).
 */
export function isUsageError(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === usageErrorCode;
}

/** The texts of an option, and their origin. */
interface Given {
  /** `--settle` or `REROLL_SETTLE`; undefined for the default. */
  readonly origin: string | undefined;
  /** One for each occurrence of the flag. */
  readonly texts: readonly string[];
}

/**
 * Compiles flags and environment into one object. The first of these counts: flag, `REROLL_<FLAG>`, fallback variable,
 * default. An empty variable counts as not set, because manifests often leave it empty, and so does white space alone,
 * such as the line end that is all of a key of a Secret.
 *
 * `crossCheck` receives the valid values and returns the problems between them.
 *
 * @throws UsageError with every problem, not just the first.
 */
export function parseOptions<T extends OptionTable>(
  table: T,
  args: readonly string[],
  env: Environment,
  crossCheck: (values: Partial<OptionValues<T>>) => readonly string[] = () => [],
): OptionValues<T> {
  return parse(table, readFlags(Object.values(table), args, false), env, crossCheck);
}

/** Options, and the arguments that are none, such as `deployment/web`. */
export interface ParsedArguments<T extends OptionTable> {
  readonly options: OptionValues<T>;
  readonly positional: readonly string[];
}

/** The same for a command that takes arguments besides its flags. @throws UsageError */
export function parseArguments<T extends OptionTable>(
  table: T,
  args: readonly string[],
  env: Environment,
): ParsedArguments<T> {
  const read = readFlags(Object.values(table), args, true);
  return { options: parse(table, read, env), positional: read.positional };
}

function parse<T extends OptionTable>(
  table: T,
  { flags, problems: flagProblems }: ReturnType<typeof readFlags>,
  env: Environment,
  crossCheck: (values: Partial<OptionValues<T>>) => readonly string[] = () => [],
): OptionValues<T> {
  const problems = [...flagProblems, ...unknownVariables(table, env)];
  const values: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(table)) {
    const given = givenFor(row, flags, env);
    const result = read(row, given.texts);
    if ('problem' in result) problems.push(describeProblem(row, given, result.problem));
    else values[name] = result.value;
  }
  problems.push(...crossCheck(values as Partial<OptionValues<T>>));
  if (problems.length > 0) throw new UsageError(problems);
  return values as OptionValues<T>;
}

function readFlags(rows: readonly OptionRow[], args: readonly string[], takesArguments: boolean) {
  const flags = new Map<string, string[]>();
  const [problems, positional]: [string[], string[]] = [[], []];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const { name, inline } = /^--?(?<name>[^=-][^=]*)(?:=(?<inline>.*))?$/s.exec(arg)?.groups ?? {};
    if (name === undefined && takesArguments) {
      positional.push(arg);
      continue;
    }
    if (name === undefined) {
      problems.push(`unexpected argument ${quoteNoUrl(arg)}: only flags are accepted, each as --flag=value`);
      continue;
    }
    const isLong = arg.startsWith('--');
    const named = rows.find(({ flag, short }) => (isLong ? flag : short) === name);
    const attached = named || isLong || inline !== undefined ? undefined : attachedTo(rows, name);
    const row = named ?? attached;
    if (!row) {
      // The next argument is probably its value, so it is not reported too. It is not shown, because it may be
      // anything.
      if (inline === undefined && rest[0]?.startsWith('-') === false) rest.shift();
      const known = problems.length < maxSuggestions ? [...rows.map(({ flag }) => flag), 'help', 'version'] : [];
      problems.push(unknownFlag(arg.split('=', 1)[0] ?? arg, name, known));
      continue;
    }
    const text = attached ? name.slice(1) : (inline ?? nextText(row, rest));
    if (text === undefined) problems.push(`--${row.flag} needs a value; accepted: ${row.accepts}`);
    else flags.set(row.flag, [...(flags.get(row.flag) ?? []), text]);
  }
  return { flags, problems, positional };
}

/**
 * The row of a letter with its value attached, as in `-ojson`. `-namespace` is a name with a dash too few, and not the
 * namespace "amespace".
 */
function attachedTo(rows: readonly OptionRow[], name: string): OptionRow | undefined {
  const row = rows.find(({ short, form }) => short === name[0] && form !== 'switch');
  const flags = rows.map(({ flag }) => flag);
  return row && nearest(name, flags) === undefined ? row : undefined;
}

/** Takes the value after a flag without `=`. Reloader takes even the next flag as the value, which nobody intends. */
function nextText(row: OptionRow, rest: string[]): string | undefined {
  const [next] = rest;
  if (row.form === 'switch') {
    const isValue = next !== undefined && row.schema.safeParse(next).success;
    return isValue ? rest.shift() : 'true';
  }
  return next?.startsWith('--') === true ? undefined : rest.shift();
}

function givenFor(row: OptionRow, flags: ReadonlyMap<string, readonly string[]>, env: Environment): Given {
  const texts = flags.get(row.flag);
  if (texts && !namesNothing(row, texts)) return { origin: `--${row.flag}`, texts };
  for (const variable of [optionEnv(row), row.fallbackEnv]) {
    const text = variable === undefined ? undefined : env[variable];
    if (variable === undefined || text === undefined || isServiceLink(variable, text)) continue;
    if (text.trim() !== '') return { origin: variable, texts: [text] };
  }
  return { origin: undefined, texts: row.default === undefined ? [] : [row.default] };
}

/**
 * A list without elements does not stand in the way of a variable that others have set, as in Reloader: `--namespaces=`
 * of a template must not widen KUBERNETES_NAMESPACE to the whole cluster.
 */
function namesNothing({ form, fallbackEnv }: OptionRow, texts: readonly string[]): boolean {
  return form === 'list' && fallbackEnv !== undefined && texts.every((text) => text.trim() === '');
}

function read(row: OptionRow, texts: readonly string[]): { readonly value: unknown } | { readonly problem: string } {
  const result = row.form === 'list' ? readList(row, texts) : row.schema.safeParse(texts.at(-1));
  if (result === undefined) return { problem: 'a quote out of place' };
  return result.success
    ? { value: result.data }
    : { problem: result.error.issues.map(({ message }) => message).join('; ') };
}

function readList({ schema }: OptionRow & { readonly form: 'list' }, texts: readonly string[]) {
  const records = texts.map(parseCsvRecord);
  const elements = records.flatMap((record) => record ?? []);
  return records.includes(undefined) ? undefined : schema.safeParse(elements);
}

function describeProblem(row: OptionRow, { origin, texts }: Given, problem: string): string {
  if (origin === undefined) return `--${row.flag} is missing: ${problem}; accepted: ${row.accepts}`;
  if (row.confidential) return `${origin} (not shown, it may be a credential): ${problem}; accepted: ${row.accepts}`;
  const shown = row.form === 'list' ? texts.join(',') : (texts.at(-1) ?? '');
  return `${origin}=${quote(shown)}: ${problem}; accepted: ${row.accepts}`;
}

function unknownFlag(typed: string, name: string, known: readonly string[]): string {
  const suggestion = nearest(name, known);
  return suggestion === undefined
    ? `unknown flag ${quote(typed)}: --help lists every flag`
    : `unknown flag ${quote(typed)}: did you mean --${suggestion}?`;
}

/** What claims to be a variable of Reroll and is none. Those of other commands may be set for them, and have no effect here. */
function unknownVariables(table: OptionTable, env: Environment): readonly string[] {
  const known = new Set([...Object.values(table).map(optionEnv), ...variablesOfCommands]);
  return Object.keys(env)
    .filter((variable) => claimsToBeOption(variable) && !known.has(variable))
    .map((variable, index) => {
      // What all begin with would make any two of them seem alike.
      const [name, ...names] = [variable, ...known].map((each) => each.slice(envPrefix.length));
      const suggestion = nearest(name ?? '', index < maxSuggestions ? names : []);
      return suggestion === undefined
        ? `unknown environment variable ${variable}: --help lists the variable of every flag`
        : `unknown environment variable ${variable}: did you mean ${envPrefix}${suggestion}?`;
    });
}

/** Quotes a text that is not a URL. A URL in an unexpected place was meant for a flag, and may contain a credential. */
function quoteNoUrl(text: string): string {
  return text.includes('://') ? '(an address, not shown)' : quote(text);
}

const maxShownLength = 100;

/** Quoted so that white space and line breaks are visible. */
function quote(text: string): string {
  return JSON.stringify(text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text);
}
