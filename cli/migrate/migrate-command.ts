import { assertNever } from '../../shared/domain/errors';
import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { manifestCommandIn, worldOf, type ManifestCommand, type ManifestWorld } from '../manifests/manifest-command';
import { migrateInputs } from './migrate-inputs';
import { migrateOptionTable, parseMigrateOptions, type MigrateOptions, type OutputFormat } from './migrate-options';
import type { MigrateReport } from './migrate-report';
import { textOutput } from './text-output';

const command: ManifestCommand<MigrateOptions, MigrateReport> = {
  name: 'migrate',
  options: migrateOptionTable,
  exitCodes: {
    clean: 'nothing to write, and nothing behaves differently',
    findings: 'something to write, or something that behaves differently',
  },
  examples: `  reroll migrate -f deploy/
  helm template . | reroll migrate -f - -n shop`,
  parse: parseMigrateOptions,
  report: migrateInputs,
  written: (report, { output }, colour) => written(report, output, colour),
};

/** `reroll migrate`: connects the search for differences to the files, the streams and the process. */
export function migrateCommand(process: NodeJS.Process): LoadedCommand {
  return migrateCommandIn(worldOf(process));
}

/** The same, with streams and files passed in. */
export function migrateCommandIn(world: ManifestWorld): LoadedCommand {
  return manifestCommandIn(command, world);
}

function written(report: MigrateReport, output: OutputFormat, colour: boolean): string {
  switch (output) {
    case 'text':
      return textOutput(report, { colour });
    case 'json':
      return `${JSON.stringify(report, undefined, 2)}\n`;
    default:
      return assertNever(output, 'format');
  }
}
