import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Reads pids, the newest one counts, and an empty line for none. Its input ends when the demo does, however it ends. */
const script = 'while read -r line; do pid=$line; done; if [ -n "$pid" ]; then kill -9 "$pid"; fi; rm -rf "$1"';

/**
 * A shell that outlives the demo by a moment: ends the reconciler and removes the temporary folder, even when the demo
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
  watch(pid: number | undefined): void {
    this.#shell.stdin?.write(`${pid === undefined ? '' : String(pid)}\n`);
  }

  /** Cleans up now; resolves when it is done. */
  async release(): Promise<void> {
    this.#shell.stdin?.end();
    await this.#ended;
  }
}
