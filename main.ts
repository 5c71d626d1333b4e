#!/usr/bin/env -S node --max-semi-space-size=2 --optimize-for-size
// The levers on memory: a small young generation is 24 MB less at the first lists of a large cluster, an old one that is
// collected before it grows 20 MB less after them; neither costs a change of a source time that can be measured.
import { commands } from './commands';
import { runCli } from './shared/runtime/cli';
import { cliIo } from './shared/runtime/cli-io';

void runCli(process.argv.slice(2), process.env, cliIo(process), commands).then((code) => {
  // Without a code the command goes on and ends the process itself.
  if (code !== undefined) process.exitCode = code;
});
