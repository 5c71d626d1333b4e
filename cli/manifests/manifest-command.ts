import { errorMessage } from '../../shared/domain/errors';
import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { cliIo, type CliIo } from '../../shared/runtime/options/cli-io';
import type { OptionTable } from '../../shared/runtime/options/option-table';
import type { Environment } from '../../shared/runtime/options/options';
import { wantsColour } from '../output/text-style';
import { machineFiles, type Files } from './files';
import { readInputs, type Inputs } from './inputs';
import type { InputProblem } from './report-parts';

/** What a command uses of its process. */
export interface ManifestWorld {
  readonly io: CliIo;
  readonly files: Files;
  readonly isTerminal: boolean;
}

/** The files, the streams and the terminal of a process. */
export function worldOf(process: NodeJS.Process): ManifestWorld {
  const { stdin, stdout } = process;
  return { io: cliIo(process), files: machineFiles(stdin), isTerminal: stdout.isTTY };
}

/** What a report of any command has. */
interface Report {
  readonly findings: readonly unknown[];
  readonly errors: readonly InputProblem[];
}

/** A command that reads manifests and reports what it finds in them. */
export interface ManifestCommand<Options extends { readonly filenames: readonly string[] }, Found extends Report> {
  readonly name: string;
  readonly options: OptionTable;
  /** Text for the end of the help, after the exit codes. */
  readonly examples: string;
  /** The meaning of exit codes 0 and 1. */
  readonly exitCodes: { readonly clean: string; readonly findings: string };
  /** @throws UsageError */
  parse(args: readonly string[], env: Environment): Options;
  report(inputs: Inputs, options: Options): Found;
  written(report: Found, options: Options, colour: boolean): string;
}

export const exitCodes = { clean: 0, findings: 1, unusable: 2 } as const;

/** Runs a command in a world. */
export function manifestCommandIn<Options extends { readonly filenames: readonly string[] }, Found extends Report>(
  command: ManifestCommand<Options, Found>,
  { io, files, isTerminal }: ManifestWorld,
): LoadedCommand {
  return {
    options: command.options,
    notes: `Exit codes:
  0  ${command.exitCodes.clean}
  1  ${command.exitCodes.findings}
  2  wrong flags, or something that cannot be read

Examples:
${command.examples}`,
    run: async (args, env) => {
      const options = command.parse(args, env);
      try {
        const report = command.report(await readInputs(options.filenames, files), options);
        io.err(report.errors.map((error) => `${errorLine(error)}\n`).join(''));
        io.out(command.written(report, options, isTerminal && wantsColour(env)));
        return exitCodeOf(report);
      } catch (thrown) {
        // Exit code 1 would mean that there are findings.
        io.err(`reroll ${command.name} failed: ${errorMessage(thrown)}\n`);
        return exitCodes.unusable;
      }
    },
  };
}

/** The line about a file or document that could not be read. */
export function errorLine({ file, line, message }: InputProblem): string {
  return `${file}:${line === undefined ? '' : `${line}:`} ${message}`;
}

/** The exit code of a report that was made. */
export function exitCodeOf({ findings, errors }: Report): number {
  if (errors.length > 0) return exitCodes.unusable;
  return findings.length > 0 ? exitCodes.findings : exitCodes.clean;
}
