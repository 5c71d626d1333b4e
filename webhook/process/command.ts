import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { processLogger, runProcess } from '../../shared/runtime/process/process-run';
import { assemble } from './assemble';
import { parseWebhookOptions, webhookOptionTable } from './options';

/** The server takes up to 20 s to stop without failing a call, the records under way 2 s; a pod has 30 s. */
const drainMs = 25_000;

/** `reroll webhook`. */
export function webhookCommand(process: NodeJS.Process): LoadedCommand {
  return {
    options: webhookOptionTable,
    run: async (args, env) => {
      const options = parseWebhookOptions(args, env);
      const logger = processLogger(process, options);
      await runProcess(process, logger, await assemble(options, env, logger), drainMs);
      return undefined;
    },
  };
}
