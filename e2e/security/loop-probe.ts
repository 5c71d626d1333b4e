import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RerollProcess } from '../reroll-process';

/** What a process reports about itself. */
export interface LoopFigures {
  /** The longest CPU time of one turn of its event loop since the last request. */
  readonly longestMs: number;
  /** The bytes of its heap that are in use. */
  readonly heapBytes: number;
}

/** The option for NODE_OPTIONS that loads the probe into a process. Writes the probe into `dir`. */
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
 * A module that NODE_OPTIONS loads into a process before its own code. On SIGUSR2 it prints the longest CPU time of one
 * turn of the event loop since the last time, and how much of the heap is in use after a garbage collection.
 *
 * The kernel counts the CPU time of the main thread only, so other load on the machine makes no turn longer.
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
