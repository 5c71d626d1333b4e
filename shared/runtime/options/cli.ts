import { Command, CommanderError } from 'commander';
import { errorMessage } from '../../domain/errors';
import type { CliIo } from './cli-io';
import { describeNotes, describeOptions } from './option-help';
import type { OptionTable } from './option-table';
import { isUsageError, type Environment } from './options';
import { version } from '../version';

/** One subcommand: a row of the table in commands.ts. */
export interface CliCommand {
  readonly name: string;
  /** Another name. */
  readonly alias?: string;
  readonly summary: string;
  /**
   * Whether this command runs if flags are given without a command. Reloader's image, which Reroll's may replace, has
   * no commands.
   */
  readonly isDefault?: true;
  /** Only the requested command is loaded: a process runs one command for weeks, and the others would cost memory. */
  load(): Promise<LoadedCommand>;
}

/** What a shell asks while somebody types a command. */
export interface CompletionRequest {
  /** The flag whose value is typed; undefined for an argument that is none. */
  readonly flag: string | undefined;
  /** What is typed of it so far. */
  readonly word: string;
  /** What is typed before, without the name of the command. */
  readonly args: readonly string[];
  readonly env: Environment;
}

/** Flags and work of a command. */
export interface LoadedCommand {
  /** For the help; `run` parses them. */
  readonly options: OptionTable;
  /** Its arguments besides flags, such as `KIND/NAME`. */
  readonly takes?: string;
  /** Words for arguments, and for values of flags that the table does not list. Never rejects, and does not take long. */
  readonly complete?: (request: CompletionRequest) => Promise<readonly string[]>;
  /** Text for the end of the help, such as the meaning of exit codes. */
  readonly notes?: string;
  /**
   * Receives the arguments after the name of the command. A UsageError is shown with a hint to the help.
   *
   * @returns the exit code, or undefined while the process continues and will exit by itself
   */
  run(args: readonly string[], env: Environment): Promise<number | undefined>;
}

interface NamedCommand extends LoadedCommand {
  readonly name: string;
}

const usageExitCode = 2;

/**
 * `reroll <command> [flags]`, or `kubectl reroll` as a plugin. `args` are the arguments of the process without interpreter and script.
 *
 * @returns 0 after help or version, 2 for bad usage, 1 for a command that failed, otherwise the command's exit code
 */
export async function runCli(
  args: readonly string[],
  env: Environment,
  io: CliIo,
  commands: readonly CliCommand[],
  programName = 'reroll',
): Promise<number | undefined> {
  const [name, ...rest] = withCommand(args, commands);
  let exitCode: number | undefined;
  // The argument of `help` is a command.
  const wanted = name === 'help' ? rest[0] : name;
  const requested = commands.find((command) => wanted === command.name || wanted === command.alias);
  const named = requested && { name: requested.name, ...(await requested.load()) };
  const program = buildProgram(programName, io, commands, named, async (command, rest) => {
    exitCode = await command.run(rest, env);
  });
  try {
    // Commander prints the whole help for a command that it does not know.
    const isUnknown = name === 'help' && wanted !== undefined && !wanted.startsWith('-') && !requested;
    await program.parseAsync(isUnknown ? withCommand([wanted], commands) : [name, ...rest], { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : usageExitCode;
    io.err(`${errorMessage(thrown)}\n`);
    if (!isUsageError(thrown)) return 1;
    const misplaced = commands.find((command) => name !== args[0] && args.includes(command.name));
    if (misplaced) io.err(`\nA command must come before its flags: ${programName} ${misplaced.name} [flags]\n`);
    const hint = `'${programName} ${name} --help' for all flags`;
    io.err(`\nRun ${name === args[0] ? hint : `'${programName} --help' for all commands, and ${hint}`}.\n`);
    return usageExitCode;
  }
}

const ownFlags = ['--help', '-h', '--version', '-V'];

function withCommand(
  args: readonly string[],
  commands: readonly CliCommand[],
): readonly [name: string, ...rest: readonly string[]] {
  const [first = '--help', ...rest] = args;
  const helpFlags = ['--help', '-h'];
  // Help about help is that about everything.
  const isHelpOfHelp = rest.length === 1 && helpFlags.includes(rest[0] ?? '');
  if (isHelpOfHelp && ['help', ...helpFlags].includes(first)) return ['--help'];
  // As in kubectl and git, both `reroll version` and `reroll <command> --version` print the version.
  const isVersionOf = rest.length === 1 && ['--version', '-V'].includes(rest[0] ?? '');
  if (first === 'version' || (isVersionOf && commands.some(({ name }) => name === first))) return ['--version'];
  if (helpFlags.includes(first) && rest.length > 0) return ['help', ...rest];
  const fallback = first.startsWith('-') && !ownFlags.includes(first) && commands.find(({ isDefault }) => isDefault);
  return fallback ? [fallback.name, ...args] : [first, ...rest];
}

/** Commander finds the command and prints the help; each command parses its own flags by its table. */
function buildProgram(
  programName: string,
  io: CliIo,
  commands: readonly CliCommand[],
  requested: NamedCommand | undefined,
  run: (command: LoadedCommand, args: readonly string[]) => Promise<void>,
): Command {
  const program = new Command(programName)
    .description('Restarts Kubernetes workloads when the ConfigMaps and Secrets they use change.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .usage('<command> [flags]')
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .showHelpAfterError(`\nRun '${programName} --help' for all commands.`)
    .exitOverride()
    .configureHelp({ helpWidth: Math.min(100, io.columns ?? 100) })
    .configureOutput({ writeOut: io.out.bind(io), writeErr: io.err.bind(io) });
  const fallback = commands.find(({ isDefault }) => isDefault);
  if (fallback) program.addHelpText('after', `\nFlags without a command run '${programName} ${fallback.name}'.`);
  for (const { name, alias, summary } of commands) {
    const command = program
      .command(name)
      .description(summary)
      .usage('[flags]')
      .helpOption('-h, --help', 'print this help')
      .allowUnknownOption()
      .allowExcessArguments();
    if (alias !== undefined) command.alias(alias);
    if (requested?.name !== name) continue;
    const { options, takes, notes } = requested;
    const described = Object.keys(options).length === 0 ? [] : ['', describeOptions(options, io.columns)];
    if (takes !== undefined) command.usage(described.length === 0 ? takes : `${takes} [flags]`);
    command.addHelpText('after', [...described, ...(notes ? ['', describeNotes(notes, io.columns)] : [])].join('\n'));
    command.action(async (_options: unknown, { args }: Command) => {
      await run(requested, args);
    });
  }
  return program;
}
