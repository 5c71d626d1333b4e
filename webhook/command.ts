import type { CliCommand } from '../shared/runtime/cli';
import { systemClock } from '../shared/runtime/clock';
import { Lifecycle } from '../shared/runtime/lifecycle';
import { processPort } from '../shared/runtime/process-port';
import { createLogger } from '../shared/runtime/winston-logger';
import { assemble } from './assemble';
import { parseWebhookOptions, webhookOptionTable } from './options';

/** The server takes up to 20 s to leave without failing a call, the records under way 2 s; a pod has 30 s. */
const drainMs = 25_000;

/** `reroll webhook`. */
export function webhookCommand(process: NodeJS.Process): CliCommand {
  return {
    name: 'webhook',
    summary: 'Sees each change as it is made, and tells the reconcilers who made it.',
    options: webhookOptionTable,
    run: async (args, env) => {
      const options = parseWebhookOptions(args, env);
      const { logFormat: format, logLevel: level } = options;
      const logger = createLogger({ format, level, clock: systemClock, stream: process.stdout });
      const components = await assemble(options, env, logger);
      await new Lifecycle({ clock: systemClock, logger, process: processPort(process), components, drainMs }).run();
      return undefined;
    },
  };
}
