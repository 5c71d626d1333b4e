import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openFiles } from './bench/process-sockets';
import { Rooms } from './channel/rooms.fixture';
import { projectDir } from './control-plane/versions';

const listenState = '0A';

/** Local addresses on which a process listens, in the kernel's notation. */
function listening(pid: number): readonly string[] {
  const { sockets } = openFiles(pid);
  return ['tcp', 'tcp6']
    .flatMap((table) => readFileSync(`/proc/${pid}/net/${table}`, 'utf8').split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([, local, , state, , , , , , inode]) =>
      state === listenState && sockets.has(inode ?? '') ? [local ?? ''] : [],
    )
    .toSorted();
}

describe('a debugger', () => {
  let rooms: Rooms;

  beforeEach(async () => {
    rooms = await Rooms.open();
  });

  afterEach(async () => {
    await rooms.close();
  });

  it.each(['reconciler', 'webhook', 'certs'] as const)(
    'is not opened by SIGUSR1 in reroll %s, which goes on',
    async (room) => {
      const running = await rooms.run(room);
      await running.line(({ message }) => message === 'started');
      const { address } = await running.line(({ message }) => message === 'serving metrics and probes');
      const pid = running.pid!;
      const before = listening(pid);
      expect(before.length).toBeGreaterThan(0);

      process.kill(pid, 'SIGUSR1');
      // A plain Node, which got the signal later, has opened a debugger: so Reroll had time to open one too.
      expect(await debuggerOfPlainNode()).toMatch(/^Debugger listening on ws:\/\/127\.0\.0\.1:\d+\//);

      expect((await fetch(`http://${String(address)}/healthz`)).status).toBe(200);
      expect(listening(pid)).toEqual(before);
      expect(running.stderr).not.toMatch(/debugger|inspector/i);
    },
    90_000,
  );
});

/** What a Node that does not run Reroll prints on SIGUSR1. */
async function debuggerOfPlainNode(): Promise<string> {
  const plain = spawn(
    process.execPath,
    ['--inspect-port=0', '-e', 'setInterval(() => undefined, 1000); console.log("up")'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  try {
    await once(plain.stdout, 'data');
    plain.kill('SIGUSR1');
    const [line] = (await once(createInterface({ input: plain.stderr }), 'line')) as [string];
    return line;
  } finally {
    plain.kill('SIGKILL');
  }
}

/** Options of Node that expose the memory of the process or write it to a file, on a signal, on a fault or at once. */
const waysIn =
  /--(inspect|debug-port|heapsnapshot|heap-prof|cpu-prof|report-|experimental-report|diagnostic-dir|abort-on-uncaught-exception)/;

function filesUnder(folder: string): readonly string[] {
  return readdirSync(path.join(projectDir, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(projectDir, path.join(entry.parentPath, entry.name)));
}

describe('what is shipped', () => {
  const shipped = ['Dockerfile', 'main.ts', 'esbuild.config.mjs', ...filesUnder('deploy')];

  it('sets no option of Node that opens its memory or writes it to a file', () => {
    expect(shipped.length).toBeGreaterThan(20);
    const told = shipped.filter((file) => waysIn.test(readFileSync(path.join(projectDir, file), 'utf8')));
    expect(told).toEqual([]);
  });

  it('takes SIGUSR1 from Node before anything of ours runs, in the image', () => {
    const dockerfile = readFileSync(path.join(projectDir, 'Dockerfile'), 'utf8');
    expect(dockerfile).toMatch(/^ENTRYPOINT \["node", "--disable-sigusr1", "\/app\/reroll\.mjs"\]$/m);
  });
});
