#!/usr/bin/env -S MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=16384 MALLOC_TRIM_THRESHOLD_=65536 node --max-semi-space-size=2
// A small young generation is 24 MB less at the first lists of a large cluster, and costs no time that can be measured. One
// arena is 5 MB less, 15 with Node 24: buffers are taken by one thread and given back by others, each to its own. With
// blocks from 16 KiB on in mappings of their own, a small cluster takes 10 MB less: a start parses, compiles and reads in such
// blocks, and malloc gives nothing back that lies between what is kept.
import path from 'node:path';
import { commands } from './commands';
import { runCli } from './shared/runtime/options/cli';
import { cliIo } from './shared/runtime/options/cli-io';
import { turnDebuggerOff } from './shared/runtime/process/lifecycle';

// First of all: until here the signal is still Node's, which the image takes from it by a flag.
turnDebuggerOff(process);

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
  return 0;
}

void run().then((code) => {
  // Without a code the command goes on and ends the process itself.
  if (code !== undefined) process.exitCode = code;
});
