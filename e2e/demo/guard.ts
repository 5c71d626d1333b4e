import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The programs of the demo. At most one process of each runs. */
export type Program = 'reconciler' | 'webhook' | 'certs';

/**
 * Reads lines `program=pid`. The last line of a program counts; an empty pid means that none runs. The input ends when
 * the demo ends, for whatever reason.
 */
const script = [
  'while read -r line; do eval "$line"; done',
  'for pid in $reconciler $webhook $certs; do kill -9 "$pid"; done',
  'rm -rf "$1"',
].join('; ');

/**
 * A shell that outlives the demo for a moment: it kills the demo's processes and removes the temporary folder, even if
 * the demo itself was killed with SIGKILL.
 */
export class Guard {
  readonly #shell: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(temporaryDir: string) {
    this.#shell = spawn('sh', ['-c', script, 'guard', temporaryDir], {
      // Its own process group: Ctrl-C in a terminal goes to the whole group and would end the guard too early.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#ended = once(this.#shell, 'exit');
  }

  /** Sets the pid of the program's process, which must not be left behind; undefined: none runs. */
  watch(program: Program, pid: number | undefined): void {
    this.#shell.stdin?.write(`${program}=${pid === undefined ? '' : String(pid)}\n`);
  }

  /** Cleans up now; resolves when it is done. */
  async release(): Promise<void> {
    this.#shell.stdin?.end();
    await this.#ended;
  }
}
