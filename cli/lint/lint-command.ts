import { assertNever } from '../../shared/domain/errors';
import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { manifestCommandIn, worldOf, type ManifestCommand, type ManifestWorld } from '../manifests/manifest-command';
import { jsonOutput } from '../output/formats';
import { lintInputs } from './lint-inputs';
import { lintOptionTable, parseLintOptions, type LintOptions, type OutputFormat } from './lint-options';
import type { LintReport } from './lint-report';
import { sarifOutput } from './sarif-output';
import { textOutput } from './text-output';

const command: ManifestCommand<LintOptions, LintReport> = {
  name: 'lint',
  options: lintOptionTable,
  exitCodes: { clean: 'no findings', findings: 'findings' },
  examples: `  reroll lint -f deploy/
  helm template . | reroll lint -f - -n shop`,
  parse: parseLintOptions,
  report: lintInputs,
  written: (report, { output }, colour) => written(report, output, colour),
};

/** `reroll lint`: connects the lint to the files, the streams and the process. */
export function lintCommand(process: NodeJS.Process): LoadedCommand {
  return lintCommandIn(worldOf(process));
}

/** The same, with streams and files passed in. */
export function lintCommandIn(world: ManifestWorld): LoadedCommand {
  return manifestCommandIn(command, world);
}

function written(report: LintReport, output: OutputFormat, colour: boolean): string {
  switch (output) {
    case 'text':
      return textOutput(report, { colour });
    case 'json':
      return jsonOutput(report);
    case 'sarif':
      return sarifOutput(report);
    default:
      return assertNever(output, 'format');
  }
}
