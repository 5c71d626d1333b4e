import { printable } from '../../shared/domain/text/printable';
import type { CliCommand } from '../../shared/runtime/options/cli';
import type { OptionRow } from '../../shared/runtime/options/option-table';
import type { Environment } from '../../shared/runtime/options/options';

/** A word that may stand where somebody types. */
export interface Candidate {
  readonly word: string;
  readonly describe?: string;
}

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** The shell should complete names of files. */
  readonly isFile: boolean;
}

const general: readonly Candidate[] = [
  { word: 'help', describe: 'print the help of a command' },
  { word: 'version', describe: 'print the version' },
];
const helpFlag: Candidate = { word: '--help', describe: 'print this help' };
const nothing: Completion = { candidates: [], isFile: false };

/**
 * What may stand in place of the last word, by the tables of the commands. `words` are those behind the name of the
 * program; the last one is empty if nothing of it is typed.
 */
export async function completionOf(
  commands: readonly CliCommand[],
  words: readonly string[],
  env: Environment,
): Promise<Completion> {
  const word = words.at(-1) ?? '';
  const { candidates, isFile } = await allowed(commands, words.slice(0, -1), word, env);
  return { isFile, candidates: candidates.filter((candidate) => candidate.word.startsWith(word)) };
}

async function allowed(
  commands: readonly CliCommand[],
  [name, ...args]: readonly string[],
  word: string,
  env: Environment,
): Promise<Completion> {
  const named = commands.map(({ name: each, summary }) => ({ word: each, describe: summary }));
  if (name === undefined) {
    const flags = word.startsWith('-') ? [helpFlag, { word: '--version', describe: 'print the version' }] : [];
    return { candidates: [...named, ...general, ...flags], isFile: false };
  }
  if (name === 'help') return { candidates: args.length === 0 ? named : [], isFile: false };
  const command = commands.find((each) => each.name === name || each.alias === name);
  if (!command) return nothing;
  const { options, complete } = await command.load();
  const rows = Object.values(options);
  const { row, prefix, before } = typedFlag(rows, args, word);
  const asked = { flag: row?.flag, word: word.slice(prefix.length), args: before, env };
  if (row) {
    const values = [...valuesOf(row), ...((await complete?.(asked)) ?? [])];
    return { candidates: values.map((value) => ({ word: prefix + value })), isFile: isFileOf(row) };
  }
  if (word.startsWith('-')) {
    const flags = rows.map(({ flag, describe }) => ({ word: `--${flag}`, describe }));
    return { candidates: [...flags, helpFlag], isFile: false };
  }
  const isFirst = positionalCount(rows, args) === 0;
  const found = isFirst ? ((await complete?.(asked)) ?? []) : [];
  return { candidates: found.map((each) => ({ word: each })), isFile: false };
}

/** The flag whose value is typed: `--output=` before it, or `-o` as the word before. */
function typedFlag(
  rows: readonly OptionRow[],
  args: readonly string[],
  word: string,
): { readonly row: OptionRow | undefined; readonly prefix: string; readonly before: readonly string[] } {
  const [, inline = '', dashes = '', flag = ''] = /^((--?)([^=]+)=)/.exec(word) ?? [];
  if (inline !== '') return { row: rowOf(rows, dashes + flag), prefix: inline, before: args };
  const row = rowOf(rows, args.at(-1) ?? '');
  const takesValue = row !== undefined && row.form !== 'switch';
  return takesValue ? { row, prefix: '', before: args.slice(0, -1) } : { row: undefined, prefix: '', before: args };
}

function rowOf(rows: readonly OptionRow[], word: string): OptionRow | undefined {
  if (word.startsWith('--')) return rows.find(({ flag }) => `--${flag}` === word);
  return word.startsWith('-') ? rows.find(({ short }) => short !== undefined && `-${short}` === word) : undefined;
}

/** How many arguments are no flags, and no values of flags. */
function positionalCount(rows: readonly OptionRow[], args: readonly string[]): number {
  return args.filter((arg, index) => {
    if (arg.startsWith('-')) return false;
    const row = rowOf(rows, args[index - 1] ?? '');
    return row === undefined || row.form === 'switch';
  }).length;
}

/** No flag with a fixed set of values has this one. */
const arbitrary = 'some-word-of-nobody';

/**
 * The values that a flag accepts, if they are a fixed set: those which its row names and its schema accepts. A schema that
 * also accepts any other word has no such set.
 */
export function valuesOf(row: OptionRow): readonly string[] {
  if (row.form === 'switch') return ['true', 'false'];
  const accepts = (value: string): boolean =>
    row.form === 'list' ? row.schema.safeParse([value]).success : row.schema.safeParse(value).success;
  if (accepts(arbitrary)) return [];
  return [...new Set(row.accepts.match(/[a-z][\w-]*/gi) ?? [])].filter(accepts);
}

function isFileOf({ accepts }: OptionRow): boolean {
  return /\b(path|paths|file|directory)\b/i.test(accepts);
}

/** The bits that tell a shell what to do besides, as kubectl and cobra number them. */
const directives = { noSpace: 2, noFile: 4 };

/** A line for each word, and one for what the shell should do besides: what kubectl expects of a plugin. */
export function linesOf({ candidates, isFile }: Completion): string {
  const isOpen = candidates.length > 0 && candidates.every(({ word }) => /[/=]$/.test(word));
  const directive = (isOpen ? directives.noSpace : 0) + (isFile ? 0 : directives.noFile);
  const lines = candidates.map(
    ({ word, describe }) => printable(word) + (describe === undefined ? '' : `\t${printable(describe)}`),
  );
  return [...lines, `:${directive}`].map((line) => `${line}\n`).join('');
}
