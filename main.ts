import { certsCommand } from './certs/command';
import { reconcilerCommand } from './reconciler/command';
import { runCli } from './shared/runtime/cli';
import { cliIo } from './shared/runtime/cli-io';
import { webhookCommand } from './webhook/command';

void runCli(process.argv.slice(2), process.env, cliIo(process), [
  reconcilerCommand(process),
  webhookCommand(process),
  certsCommand(process),
]).then((code) => {
  // Without a code the command goes on and ends the process itself.
  if (code !== undefined) process.exitCode = code;
});
