#!/usr/bin/env -S node --max-semi-space-size=2
// A small young generation is 24 MB less at the first lists of a large cluster, and costs no time that can be measured. What
// the image sets besides is not here: a kernel before 5.1 reads only 127 bytes of this line.
import path from 'node:path';
import { commands } from './commands';
import { runCli } from './shared/runtime/options/cli';
import { cliIo } from './shared/runtime/options/cli-io';
import { obeySignals, turnDebuggerOff } from './shared/runtime/process/lifecycle';

// First of all: until here the signal is still Node's, which the image takes from it by a flag.
turnDebuggerOff(process);
obeySignals(process);

// kubectl runs an executable of one name for `kubectl reroll`, and of another to complete what is typed behind it.
const script = path.parse(process.argv[1] ?? '').name;
const isPlugin = script.startsWith('kubectl-');
const programName = isPlugin ? 'kubectl reroll' : 'reroll';

const [first, ...rest] = process.argv.slice(2);
const typed = script === 'kubectl_complete-reroll' ? process.argv.slice(2) : first === '__complete' ? rest : undefined;

async function run(): Promise<number | undefined> {
  const io = cliIo(process);
  if (typed === undefined) return await runCli(process.argv.slice(2), process.env, io, commands, programName);
  const { completionOf, linesOf } = await import('./cli/completion/completion');
  io.out(linesOf(await completionOf(commands, typed, process.env)));
  // Once that is written. A plugin that is still at work would keep the process, and the shell waits for its end.
  process.stdout.write('', () => process.exit());
  return 0;
}

void run().then((code) => {
  // Without a code the command goes on and ends the process itself. If its output is lost, there already is another one.
  if (code !== undefined) process.exitCode ??= code;
});
