import { systemClock } from '../shared/runtime/clock';
import { Lifecycle, type ProcessPort } from '../shared/runtime/lifecycle';
import type { Environment } from '../shared/runtime/options';
import { createLogger } from '../shared/runtime/winston-logger';
import { assemble } from './assemble';
import { parseWebhookOptions, webhookOptionTable } from './options';

/** The server takes up to 20 s to leave without failing a call, the records under way 2 s; a pod has 30 s. */
const drainMs = 25_000;

/** `reroll webhook`: a command for the table of the composition root. */
export function webhookCommand({ stdout }: Pick<NodeJS.Process, 'stdout'>, process: ProcessPort) {
  return {
    name: 'webhook',
    summary: 'Sees each change as it is made, and tells the reconcilers who made it.',
    options: webhookOptionTable,
    run: async (args: readonly string[], env: Environment): Promise<undefined> => {
      const options = parseWebhookOptions(args, env);
      const { logFormat: format, logLevel: level } = options;
      const logger = createLogger({ format, level, clock: systemClock, stream: stdout });
      const components = await assemble(options, env, logger);
      await new Lifecycle({ clock: systemClock, logger, process, components, drainMs }).run();
    },
  };
}
