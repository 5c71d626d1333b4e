import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ImageConfig } from './buildah';
import { childProcesses } from './child-processes';

/**
 * What a container engine does; an engine itself would ask for rights that are not to be had inside of a container. Root
 * is read-only, processes and mounts are its own, the user is the image's, and no right is kept. The network is the machine's.
 */
const script = `
set -e
root=$1 tmp=$2 user=$3; shift 3
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --bind "$tmp" "$root/tmp"
exec "$(command -v setpriv)" --bounding-set=-all,+sys_chroot,+setuid,+setgid --inh-caps=-all --no-new-privs \\
  "$(command -v chroot)" --userspec="$user" "$root" "$@"
`;

export interface ContainerOptions {
  /** The files of the image. */
  readonly rootDir: string;
  /** Seen as /tmp. */
  readonly tmpDir: string;
  readonly config: ImageConfig;
  /** In place of CMD. */
  readonly args?: readonly string[];
  /** Of Node, in place of ENTRYPOINT and CMD. */
  readonly nodeArgs?: readonly string[];
  /** Beside those of the image, and before them. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How a container ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The fields of a process that tell what it may do, by name as in /proc/PID/status. */
export type ProcessStatus = ReadonlyMap<string, string>;

/** The process of an image, as the one of a pod under the restricted Pod Security Standard. */
export class Container {
  #stdout = '';
  #stderr = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<Ended>;

  constructor({ rootDir, tmpDir, config, args = config.Cmd, nodeArgs, env = {} }: ContainerOptions) {
    const [program = '', ...ofEntrypoint] = config.Entrypoint;
    const command = nodeArgs ? [program, ...nodeArgs] : [program, ...ofEntrypoint, ...args];
    // The shell has to find its own programs, the container those of the image: chroot looks when it is there.
    const ofImage = Object.fromEntries(config.Env.map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]));
    this.#child = spawn(
      'unshare',
      [
        ...['--mount', '--pid', '--fork', '--kill-child=SIGKILL', 'sh', '-c', script, 'sh'],
        ...[rootDir, tmpDir, config.User, ...command],
      ],
      { env: { ...ofImage, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.#stdout += chunk.toString('utf8')));
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString('utf8')));
    this.#ended = once(this.#child, 'close').then(([code]) => ({
      code: code as number | null,
      stdout: this.#stdout,
      stderr: this.#stderr,
    }));
  }

  /** Lines of its log in JSON that are whole. */
  get log(): readonly Readonly<Record<string, unknown>>[] {
    return this.#stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** What the kernel says of process 1. */
  get status(): ProcessStatus {
    const lines = readFileSync(`/proc/${String(this.#pid)}/status`, 'utf8').split('\n');
    return new Map(lines.map((line) => line.split(':\t', 2) as [string, string]));
  }

  /** Resolves with the end; kills it with the reason where it takes too long. */
  async ended(timeoutMs = 60_000): Promise<Ended> {
    const timer = setTimeout(() => this.kill(), timeoutMs);
    try {
      return await this.#ended;
    } finally {
      clearTimeout(timer);
    }
  }

  /** What the kubelet does first when a pod is deleted. */
  async terminate(): Promise<Ended> {
    process.kill(this.#pid, 'SIGTERM');
    return await this.ended();
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  get #pid(): number {
    const [pid] = childProcesses(this.#child.pid ?? 0);
    if (pid === undefined) throw new Error(`the container ended: ${this.#stderr || this.#stdout}`);
    return pid;
  }
}
