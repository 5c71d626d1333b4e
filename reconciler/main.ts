import { runCli } from './cli';
import { reconcilerCommand } from './command';

void runCli(
  process.argv.slice(2),
  process.env,
  { out: (text) => process.stdout.write(text), err: (text) => process.stderr.write(text) },
  [reconcilerCommand(process)],
).then((code) => {
  // Without a code the command goes on and ends the process itself.
  if (code !== undefined) process.exitCode = code;
});
