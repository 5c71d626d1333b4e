import { assertNever } from '../../shared/domain/errors';
import { systemClock } from '../../shared/runtime/clock';
import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { describeFailure } from '../cluster/cluster-command';
import { completeContexts } from '../cluster/complete-names';
import { exitCodeOf, exitCodes, manifestCommandIn, worldOf, type ManifestCommand } from '../manifests/manifest-command';
import { jsonOutput } from '../output/formats';
import { wantsColour } from '../output/text-style';
import { migrateFrom } from './migrate-from-cluster';
import { migrateInputs } from './migrate-inputs';
import { migrateOptionTable, parseMigrateOptions, type MigrateOptions } from './migrate-options';
import type { MigrateReport } from './migrate-report';
import { connectForReading, type MigrateWorld } from './migrate-world';
import { textOutput } from './text-output';

const command: ManifestCommand<MigrateOptions, MigrateReport> = {
  name: 'migrate',
  options: migrateOptionTable,
  exitCodes: {
    clean: 'nothing to write, and nothing behaves differently',
    findings: 'something to write, or something that behaves differently',
  },
  examples: `  reroll migrate -f deploy/
  helm template . | reroll migrate -f - -n shop
  reroll migrate -A
  kubectl reroll migrate -n shop`,
  parse: parseMigrateOptions,
  report: migrateInputs,
  written,
};

/** `reroll migrate`: connects the search for differences to files or a cluster, the streams and the process. */
export function migrateCommand(process: NodeJS.Process): LoadedCommand {
  const { isTTY: isErrorTerminal } = process.stderr;
  return migrateCommandIn({ ...worldOf(process), clock: systemClock, isErrorTerminal, connect: connectForReading });
}

/** The same, with streams, files and the cluster passed in. */
export function migrateCommandIn(world: MigrateWorld): LoadedCommand {
  const ofFiles = manifestCommandIn(command, world);
  return {
    ...ofFiles,
    complete: async (request) =>
      request.flag === 'context' ? await completeContexts(migrateOptionTable, request) : [],
    run: async (args, env) => {
      const { cluster } = parseMigrateOptions(args, env);
      if (!cluster) return await ofFiles.run(args, env);
      try {
        const { report, options } = await migrateFrom(world, cluster, { args, env });
        world.io.out(written(report, options, world.isTerminal && wantsColour(env)));
        return exitCodeOf(report);
      } catch (thrown) {
        world.io.err(`${describeFailure(command.name, thrown)}\n`);
        return exitCodes.unusable;
      }
    },
  };
}

function written(report: MigrateReport, { output, cluster }: MigrateOptions, colour: boolean): string {
  switch (output) {
    case 'text':
      return textOutput(report, { colour, isCluster: cluster !== undefined });
    case 'json':
      return jsonOutput(report);
    default:
      return assertNever(output, 'format');
  }
}
