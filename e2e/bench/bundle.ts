import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { createTemporaryDir } from '../control-plane/temporary-dir';
import { bundlePath } from '../reroll-process';
import type { Setting } from './benches';
import { parseUsage } from './process-usage';
import type { Figure, Measured } from './result';
import { median } from './statistics';

const runs = 11;
const mib = 1024 * 1024;

/** The kernel's figures vanish with the process, so the process itself must read them as it exits. */
const tellStatusAtExit = `
  const { readFileSync, writeSync } = require('node:fs');
  process.on('exit', () => writeSync(3, readFileSync('/proc/self/status')));
`;

type Command = readonly [file: string, ...args: string[]];

/** The bench `bundle`: the size of the bundle, and the cost of a start that does nothing. Plain Node is the floor. */
export async function measureBundle({ tell }: Setting): Promise<Measured> {
  const bundle = readFileSync(bundlePath);
  const commands: Readonly<Record<string, Command>> = {
    'node -e 0': [process.execPath, '-e', '0'],
    'reroll --version': [bundlePath, '--version'],
    'reroll reconciler --help': [bundlePath, 'reconciler', '--help'],
  };
  const figures: Figure[] = [];
  for (const [name, command] of Object.entries(commands)) {
    tell(`${name}, ${runs} times …`);
    figures.push(...(await timesOf(name, command)));
  }
  return {
    conditions: { runs },
    figures: [
      { name: 'size', value: bundle.length / 1e6, unit: 'MB' },
      { name: 'size, compressed by gzip', value: gzipSync(bundle).length / 1e6, unit: 'MB' },
      ...figures,
    ],
  };
}

async function timesOf(name: string, [file, ...args]: Command): Promise<readonly Figure[]> {
  const temporary = createTemporaryDir();
  try {
    const atExit = join(temporary.dir, 'at-exit.cjs');
    writeFileSync(atExit, tellStatusAtExit);
    const [tookMs, peakMib]: [number[], number[]] = [[], []];
    const run = async (): Promise<void> => {
      const startMs = performance.now();
      const child = spawn(file, args, {
        env: {
          ...process.env,
          PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
          NODE_OPTIONS: `--require=${atExit}`,
        },
        stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
      });
      const status = await text(child.stdio[3] as Readable);
      tookMs.push(performance.now() - startMs);
      peakMib.push(parseUsage(status, '').peakResidentBytes / mib);
    };
    // The first run reads the files from disk, so it is not counted.
    await run();
    for (const values of [tookMs, peakMib]) values.length = 0;
    for (let count = 0; count < runs; count++) await run();
    return [
      { name: `${name}: time`, value: median(tookMs), unit: 'ms', runs: tookMs },
      { name: `${name}: peak RSS`, value: median(peakMib), unit: 'MiB', runs: peakMib },
    ];
  } finally {
    temporary.dispose();
  }
}
