import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { processLogger, runProcess } from '../../shared/runtime/process/process-run';
import { assemble } from './assemble';
import { parseReconcilerOptions, reconcilerOptionTable } from '../options/options';

/** `reroll reconciler`. */
export function reconcilerCommand(process: NodeJS.Process): LoadedCommand {
  return {
    options: reconcilerOptionTable,
    run: async (args, env) => {
      const options = parseReconcilerOptions(args, env);
      const logger = processLogger(process, options);
      await runProcess(process, logger, await assemble(options, env, logger));
      return undefined;
    },
  };
}
