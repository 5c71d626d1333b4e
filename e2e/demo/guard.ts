import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The programs of which one process each may run. */
export type Program = 'reconciler' | 'webhook' | 'certs';

/** Reads `program=pid`, the newest of each counts, and no pid for none. Its input ends when the demo does, however it ends. */
const script = [
  'while read -r line; do eval "$line"; done',
  'for pid in $reconciler $webhook $certs; do kill -9 "$pid"; done',
  'rm -rf "$1"',
].join('; ');

/**
 * A shell that outlives the demo by a moment: ends its processes and removes the temporary folder, even when the demo
 * itself was killed with -9 and could not.
 */
export class Guard {
  readonly #shell: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(temporaryDir: string) {
    this.#shell = spawn('sh', ['-c', script, 'guard', temporaryDir], {
      // A group of its own: Ctrl-C in a terminal goes to the whole group, and would end it before its work is due.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#ended = once(this.#shell, 'exit');
  }

  /** The process that must not be left behind; undefined: there is none. */
  watch(program: Program, pid: number | undefined): void {
    this.#shell.stdin?.write(`${program}=${pid === undefined ? '' : String(pid)}\n`);
  }

  /** Cleans up now; resolves when it is done. */
  async release(): Promise<void> {
    this.#shell.stdin?.end();
    await this.#ended;
  }
}
