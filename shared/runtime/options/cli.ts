import { Command, CommanderError } from 'commander';
import { errorMessage } from '../../domain/errors';
import type { CliIo } from './cli-io';
import { describeOptions } from './option-help';
import type { OptionTable } from './option-table';
import { UsageError, type Environment } from './options';
import { version } from '../version';

/** One subcommand: a row of the table in commands.ts. */
export interface CliCommand {
  readonly name: string;
  readonly summary: string;
  /** Runs where flags are given and no command, as where the image stands in for Reloader's, which has none. */
  readonly isDefault?: true;
  /** Only the command that is asked for is loaded: a process is one of them for weeks, and the others would cost memory. */
  load(): Promise<LoadedCommand>;
}

/** Flags and work of a command. */
export interface LoadedCommand {
  /** For the help; `run` parses. */
  readonly options: OptionTable;
  /**
   * Gets what follows the name of the command. A UsageError is shown with the way to the help.
   * @returns the exit code, or undefined while the process goes on and will exit by itself
   */
  run(args: readonly string[], env: Environment): Promise<number | undefined>;
}

interface NamedCommand extends LoadedCommand {
  readonly name: string;
}

const usageExitCode = 2;

/**
 * `reroll <command> [flags]`. `args` are those of the process without interpreter and script.
 * @returns 0 after help or version, 2 for bad usage, 1 for a command that failed, otherwise what the command returned
 */
export async function runCli(
  args: readonly string[],
  env: Environment,
  io: CliIo,
  commands: readonly CliCommand[],
): Promise<number | undefined> {
  const [name, ...rest] = withCommand(args, commands);
  let exitCode: number | undefined;
  // `help` names its command behind it.
  const asked = commands.find((command) => command.name === (name === 'help' ? rest[0] : name));
  const named = asked && { name: asked.name, ...(await asked.load()) };
  const program = buildProgram(io, commands, named, async (command, rest) => {
    exitCode = await command.run(rest, env);
  });
  try {
    await program.parseAsync([name, ...rest], { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : usageExitCode;
    io.err(`${errorMessage(thrown)}\n`);
    if (!(thrown instanceof UsageError)) return 1;
    const misplaced = commands.find((command) => name !== args[0] && args.includes(command.name));
    if (misplaced) io.err(`\nA command stands before its flags: reroll ${misplaced.name} [flags]\n`);
    io.err(`\nRun 'reroll ${name} --help' for all flags.\n`);
    return usageExitCode;
  }
}

const ownFlags = ['--help', '-h', '--version', '-V'];

function withCommand(
  args: readonly string[],
  commands: readonly CliCommand[],
): readonly [name: string, ...rest: readonly string[]] {
  const [first = '--help', ...rest] = args;
  // As kubectl and git have it.
  if (first === 'version') return ['--version'];
  if (['--help', '-h'].includes(first) && rest.length > 0) return ['help', ...rest];
  const fallback = first.startsWith('-') && !ownFlags.includes(first) && commands.find(({ isDefault }) => isDefault);
  return fallback ? [fallback.name, ...args] : [first, ...rest];
}

/** Commander finds the command and writes the help; flags go to the command as they are, which reads them by its table. */
function buildProgram(
  io: CliIo,
  commands: readonly CliCommand[],
  asked: NamedCommand | undefined,
  run: (command: LoadedCommand, args: readonly string[]) => Promise<void>,
): Command {
  const program = new Command('reroll')
    .description('Restarts Kubernetes workloads when the ConfigMaps and Secrets they use change.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .usage('<command> [flags]')
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .showHelpAfterError("\nRun 'reroll --help' for all commands.")
    .exitOverride()
    .configureHelp({ helpWidth: Math.min(100, io.columns ?? 100) })
    .configureOutput({ writeOut: io.out.bind(io), writeErr: io.err.bind(io) });
  const fallback = commands.find(({ isDefault }) => isDefault);
  if (fallback) program.addHelpText('after', `\nFlags without a command run 'reroll ${fallback.name}'.`);
  for (const { name, summary } of commands) {
    const command = program
      .command(name)
      .description(summary)
      .usage('[flags]')
      .helpOption('-h, --help', 'print this help')
      .allowUnknownOption()
      .allowExcessArguments();
    if (asked?.name !== name) continue;
    command.addHelpText('after', `\n${describeOptions(asked.options, io.columns)}`);
    command.action(async (_options: unknown, { args }: Command) => {
      await run(asked, args);
    });
  }
  return program;
}
