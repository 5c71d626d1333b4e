import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ImageConfig } from './buildah';
import { childProcesses } from './child-processes';

/**
 * Does the work of a container engine, which would need rights that a container does not have. The root is read-only,
 * processes and mounts are isolated, the user is the image's, and no capability is kept. The network is the machine's.
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
  /** Mounted at /tmp. */
  readonly tmpDir: string;
  readonly config: ImageConfig;
  /** Replaces CMD. */
  readonly args?: readonly string[];
  /** Arguments for Node, which replace those of ENTRYPOINT and CMD. */
  readonly nodeArgs?: readonly string[];
  /** Added to the variables of the image; wins over them. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How a container ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The fields of /proc/PID/status, which say what a process may do, by name. */
export type ProcessStatus = ReadonlyMap<string, string>;

/** Runs the process of an image like a pod under the restricted Pod Security Standard. */
export class Container {
  #stdout = '';
  #stderr = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<Ended>;

  constructor({ rootDir, tmpDir, config, args = config.Cmd, nodeArgs, env = {} }: ContainerOptions) {
    const [program = '', ...ofEntrypoint] = config.Entrypoint;
    const command = nodeArgs ? [program, ...nodeArgs] : [program, ...ofEntrypoint, ...args];
    // The script looks up its own programs before the chroot. chroot looks up the image's program afterwards, by the
    // same PATH.
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

  /** The complete lines of its JSON log. */
  get log(): readonly Readonly<Record<string, unknown>>[] {
    return this.#stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** The kernel's status of process 1 of the container. */
  get status(): ProcessStatus {
    const lines = readFileSync(`/proc/${String(this.#pid)}/status`, 'utf8').split('\n');
    return new Map(lines.map((line) => line.split(':\t', 2) as [string, string]));
  }

  /** Resolves once the process has ended. Kills it after `timeoutMs`. */
  async ended(timeoutMs = 60_000): Promise<Ended> {
    const timer = setTimeout(() => this.kill(), timeoutMs);
    try {
      return await this.#ended;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends SIGTERM, as the kubelet does first when a pod is deleted. Resolves once the process has ended. */
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
