import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { pollUntil } from '../control-plane/poll';
import { kernelStartTimeOf } from '../control-plane/process-identity';
import { createTemporaryDir } from '../control-plane/temporary-dir';
import { seededRandom } from '../apiserver/seeded-random';
import { runUi } from '../page/ui-process';

const root = path.join(__dirname, '..', '..');
const demoLimitMs = 60_000;
const killSeed = 20_260;
const killCount = 3;

/** The demo as a person starts it. */
class DemoProcess {
  readonly #child: ChildProcess;
  readonly exited: Promise<number | null>;
  stdout = '';
  stderr = '';

  readonly #temporary = createTemporaryDir();

  constructor(...args: readonly string[]) {
    this.#child = spawn(process.execPath, ['--import', 'tsx', path.join(__dirname, 'main.ts'), ...args], {
      cwd: root,
      env: { ...process.env, TMPDIR: this.#temporary.dir },
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString('utf8')));
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString('utf8')));
    this.exited = once(this.#child, 'close').then(([code]) => code as number | null);
  }

  /** Pids of the reconcilers that it started, newest last. */
  get reconcilerPids(): readonly number[] {
    return [...this.stdout.matchAll(/started +reconciler, pid (\d+)/g)].map(([, pid]) => Number(pid));
  }

  /** What it has not cleaned up: pids of its processes, and folders with kubeconfigs. */
  get leftBehind(): readonly (number | string)[] {
    const started = [...this.stdout.matchAll(/started +\w+, pid (\d+)/g)].map(([, pid]) => Number(pid));
    const pids = started.filter((pid) => kernelStartTimeOf(pid) !== undefined);
    return [...pids, ...readdirSync(this.#temporary.dir).filter((name) => name.startsWith('reroll'))];
  }

  get lastLine(): string {
    return this.stdout.trimEnd().split('\n').at(-1) ?? '';
  }

  dispose(): void {
    this.signal('SIGKILL');
    this.#temporary.dispose();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async shows(words: string | RegExp): Promise<string> {
    return await pollUntil(
      `${String(words)} in the timeline:\n${this.stdout}`,
      async () => this.stdout.match(words)?.[0],
      { timeoutMs: demoLimitMs },
    );
  }
}

const started: DemoProcess[] = [];

function play(...args: readonly string[]): DemoProcess {
  const demo = new DemoProcess(...args);
  started.push(demo);
  return demo;
}

/** Kills the running reconciler, at moments drawn from the seed. */
async function killReconcilers(demo: DemoProcess): Promise<void> {
  const random = seededRandom(killSeed);
  await demo.shows(/started +reconciler/);
  for (let count = 0; count < killCount; count++) {
    await delay(random.float() * 3_500);
    const pid = demo.reconcilerPids.at(-1);
    if (pid !== undefined && kernelStartTimeOf(pid) !== undefined) process.kill(pid, 'SIGKILL');
  }
}

/** Asks the page at the address once, as a browser does. Resolves with the message that has the workloads. */
async function workloadsOnPage(address: string): Promise<string> {
  const { origin, hash } = new URL(address);
  const token = hash.slice('#token='.length);
  const response = await fetch(`${origin}/api/live`, { headers: { authorization: `Bearer ${token}` } });
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString();
    if (text.includes('"rows"')) break;
  }
  return text;
}

afterAll(() => {
  for (const demo of started) demo.dispose();
});

describe('npm run demo', () => {
  let plain: DemoProcess;
  let disturbed: DemoProcess;
  let kept: DemoProcess;
  let kills: Promise<void>;

  // All at once: several demos on one machine do not affect each other.
  beforeAll(() => {
    plain = play();
    disturbed = play();
    kept = play('--keep');
    kills = killReconcilers(disturbed);
  });

  it(
    'ends by itself with 0, a line that counts, and nothing left behind',
    async () => {
      expect({ code: await plain.exited, stderr: plain.stderr }).toEqual({ code: 0, stderr: '' });
      expect(plain.lastLine).toMatch(/^[1-9]\d* passed, 0 failed$/);
      // The reconciler that a scene kills, its successor, and the one that a person asks at the end.
      expect(plain.reconcilerPids).toHaveLength(3);
      expect(plain.leftBehind).toEqual([]);
    },
    demoLimitMs,
  );

  it('shows who changed which key, and that nobody is missed who could have told', () => {
    const told = plain.stdout.replaceAll(/\s+/g, ' ').replaceAll(/ \(change [0-9a-f]{8}\)/g, '');
    expect(told).toContain('content changed (keys: color) by alice (kubectl-edit). Deployment restarted');
    expect(told).toContain('content changed (keys: interval). DaemonSet restarted');
  });

  it('ends with the answers of reroll why that the README shows', () => {
    const [, shown = ''] =
      /^```\n(\$ reroll why .*?)^```$/ms.exec(readFileSync(path.join(root, 'README.md'), 'utf8')) ?? [];
    const withoutTimes = (text: string): string => text.replaceAll(/\d+ \w+ ago/g, '…').replaceAll(/\s+/g, ' ');
    const told = withoutTimes(plain.stdout);
    const pieces = shown.split('\n').filter((line) => line !== '');
    expect(pieces.length).toBeGreaterThanOrEqual(4);
    for (const line of pieces) expect(told).toContain(withoutTimes(line.replace('$ ', 'alice asks ')));
  });

  it(
    `holds what it promises while its reconciler is killed with -9 (seed ${String(killSeed)})`,
    async () => {
      await kills;
      const code = await disturbed.exited;
      expect(disturbed.stdout).not.toContain('FAILED');
      expect({ code, last: disturbed.lastLine }).toEqual({
        code: 0,
        last: expect.stringMatching(/ passed, 0 failed$/),
      });
      expect(disturbed.reconcilerPids).toHaveLength(3 + killCount);
      expect(disturbed.leftBehind).toEqual([]);
    },
    demoLimitMs,
  );

  it(
    'with --keep it prints commands for people, which work as printed',
    async () => {
      await kept.shows(/reroll\.mjs ui .+\n/);
      const [why = '', ui = ''] = [...kept.stdout.matchAll(/^ +(node dist\/reroll\.mjs .+)$/gm)].map(
        ([, line]) => line!,
      );
      const { stdout, stderr } = await promisify(execFile)('sh', ['-c', why], { cwd: root });
      expect(stderr).toBe('');
      expect(stdout).toContain('because alice changed key color of ConfigMap app-config\n');
      expect(stdout).toContain('as the leader reroll-0 says\n');
      const { address, end } = await runUi(['sh', '-c', `exec ${ui} --no-open`], root);
      expect(await workloadsOnPage(address)).toContain('"name":"web"');
      expect(await end()).toBe(130);
    },
    demoLimitMs,
  );

  it(
    'with --keep it stays up with a kubeconfig, until Ctrl-C cleans up',
    async () => {
      await kept.shows('/metrics\n');
      expect(kept.stdout).toMatch(/^\d+ passed, 0 failed$/m);
      const kubeconfig = /export KUBECONFIG=(\S+)/.exec(kept.stdout)?.[1] ?? '';
      expect(existsSync(kubeconfig)).toBe(true);
      const address = /curl (http:\S+)/.exec(kept.stdout)?.[1] ?? '';
      expect(await (await fetch(address)).text()).toContain('reroll_leader 1');
      kept.signal('SIGINT');
      expect(await kept.exited).toBe(130);
      expect(kept.leftBehind).toEqual([]);
    },
    demoLimitMs,
  );
});

describe('a demo that is ended early', () => {
  it(
    'by Ctrl-C: exit code 130, and nothing left behind',
    async () => {
      const demo = play();
      await demo.shows(/ready +reconciler/);
      demo.signal('SIGINT');
      expect(await demo.exited).toBe(130);
      expect(demo.leftBehind).toEqual([]);
    },
    demoLimitMs,
  );

  it(
    'by kill -9: neither its reconciler nor its kubeconfig outlives it',
    async () => {
      const demo = play();
      await demo.shows(/ready +reconciler/);
      expect(demo.leftBehind).toHaveLength(2);
      demo.signal('SIGKILL');
      await pollUntil('it all to be gone', async () => (demo.leftBehind.length === 0 ? true : undefined));
    },
    demoLimitMs,
  );
});

describe('the command line', () => {
  it('--help prints the flags and plays nothing', async () => {
    const demo = play('--help');
    expect(await demo.exited).toBe(0);
    expect(demo.stdout).toContain('--keep');
  });

  it('an unknown flag: exit code 2, and a message', async () => {
    const demo = play('--fast');
    expect(await demo.exited).toBe(2);
    expect(demo).toMatchObject({ stdout: '', stderr: expect.stringContaining("unknown option '--fast'") });
  });
});
