import type { CliCommand } from '../shared/runtime/cli';
import { systemClock } from '../shared/runtime/clock';
import { Lifecycle } from '../shared/runtime/lifecycle';
import { processPort } from '../shared/runtime/process-port';
import { createLogger } from '../shared/runtime/winston-logger';
import { assemble } from './assemble';
import { parseReconcilerOptions, reconcilerOptionTable } from './options';

/** `reroll reconciler`. */
export function reconcilerCommand(process: NodeJS.Process): CliCommand {
  return {
    name: 'reconciler',
    summary: 'Watches sources and restarts the workloads that use them.',
    options: reconcilerOptionTable,
    run: async (args, env) => {
      const options = parseReconcilerOptions(args, env);
      const { logFormat: format, logLevel: level } = options;
      const logger = createLogger({ format, level, clock: systemClock, stream: process.stdout });
      const components = await assemble(options, env, logger);
      await new Lifecycle({ clock: systemClock, logger, process: processPort(process), components }).run();
      return undefined;
    },
  };
}
