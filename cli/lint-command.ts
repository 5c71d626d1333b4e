import { assertNever, errorMessage } from '../shared/domain/errors';
import type { LoadedCommand } from '../shared/runtime/options/cli';
import { cliIo, type CliIo } from '../shared/runtime/options/cli-io';
import type { Environment } from '../shared/runtime/options/options';
import { machineFiles, type Files } from './files';
import { readInputs } from './inputs';
import { lintInputs } from './lint-inputs';
import { lintOptionTable, parseLintOptions, type OutputFormat } from './lint-options';
import type { LintReport } from './lint-report';
import { sarifOutput } from './sarif-output';
import { errorLines, textOutput } from './text-output';

/** What the command uses of its process. */
export interface LintWorld {
  readonly io: CliIo;
  readonly files: Files;
  readonly isTerminal: boolean;
}

/** The exit codes of `reroll lint`. */
export const exitCodes = { clean: 0, findings: 1, unusable: 2 } as const;

const notes = `Exit codes:
  0  no findings
  1  findings
  2  wrong flags, or something that cannot be read

Examples:
  reroll lint -f deploy/
  helm template . | reroll lint -f - -n shop`;

/** `reroll lint`: connects the lint to the files, the streams and the process. */
export function lintCommand(process: NodeJS.Process): LoadedCommand {
  const { stdin, stdout } = process;
  return lintCommandIn({ io: cliIo(process), files: machineFiles(stdin), isTerminal: stdout.isTTY });
}

/** The same, with streams and files passed in. */
export function lintCommandIn({ io, files, isTerminal }: LintWorld): LoadedCommand {
  return {
    options: lintOptionTable,
    notes,
    run: async (args, env) => {
      const options = parseLintOptions(args, env);
      try {
        const report = lintInputs(await readInputs(options.filenames, files), options);
        io.err(errorLines(report));
        io.out(written(report, options.output, isTerminal && wantsColour(env)));
        return exitCodeOf(report);
      } catch (thrown) {
        // Exit code 1 would mean that there are findings.
        io.err(`reroll lint failed: ${errorMessage(thrown)}\n`);
        return exitCodes.unusable;
      }
    },
  };
}

/** @see https://no-color.org */
function wantsColour(env: Environment): boolean {
  return (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}

function written(report: LintReport, output: OutputFormat, colour: boolean): string {
  switch (output) {
    case 'text':
      return textOutput(report, { colour });
    case 'json':
      return `${JSON.stringify(report, undefined, 2)}\n`;
    case 'sarif':
      return sarifOutput(report);
    default:
      return assertNever(output, 'format');
  }
}

function exitCodeOf({ findings, errors }: LintReport): number {
  if (errors.length > 0) return exitCodes.unusable;
  return findings.length > 0 ? exitCodes.findings : exitCodes.clean;
}
