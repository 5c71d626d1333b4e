import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RerollProcess } from '../reroll-process';

/** What a process tells of itself. */
export interface LoopFigures {
  /** For how long one turn of its event loop has kept the processor busy, at most, since it was asked before. */
  readonly longestMs: number;
  /** What of its heap is in use. */
  readonly heapBytes: number;
}

/** What belongs into NODE_OPTIONS of a process that is to be asked. */
export async function loopProbeOption(dir: string): Promise<string> {
  const file = join(dir, 'loop-probe.mjs');
  await writeFile(file, loopProbe);
  return `--import ${pathToFileURL(file).href}`;
}

export async function askLoop(process: RerollProcess): Promise<LoopFigures> {
  const seen = process.lines.length;
  process.signal('SIGUSR2');
  const line = await process.line((entry) => entry.level === 'probe' && process.lines.indexOf(entry) >= seen, 60_000);
  return { longestMs: Number(line['longestMs']), heapBytes: Number(line['heapBytes']) };
}

/**
 * A module that is loaded into a process before its own code, by NODE_OPTIONS. On SIGUSR2 it says for how long one turn of the
 * event loop has kept the processor busy since the last time, and how much of the heap is in use when all garbage is collected.
 *
 * The kernel counts the time of the main thread alone: what others do on the machine meanwhile makes no turn longer.
 */
const loopProbe = `
import { openSync, readSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const file = openSync('/proc/self/task/' + process.pid + '/schedstat', 'r');
const text = Buffer.alloc(64);

function busyMs() {
  const bytes = readSync(file, text, 0, text.length, 0);
  return Number(text.toString('latin1', 0, bytes).split(' ')[0]) / 1e6;
}

let last = busyMs();
let longestMs = 0;
setInterval(() => {
  const now = busyMs();
  longestMs = Math.max(longestMs, now - last);
  last = now;
}, 1).unref();

process.on('SIGUSR2', () => {
  const told = longestMs;
  collect();
  const heapBytes = process.memoryUsage().heapUsed;
  process.stdout.write(JSON.stringify({ level: 'probe', message: 'probe', longestMs: told, heapBytes }) + '\\n');
  // The collection was ours.
  last = busyMs();
  longestMs = 0;
});
`;
