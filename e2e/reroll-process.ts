import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The shipped bundle: tests run what users run. */
export const bundlePath = join(__dirname, '..', 'dist', 'reroll.mjs');

/** A line of the JSON log. */
export interface LogEntry {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

export interface RerollProcessOptions {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly onLine?: (entry: LogEntry) => void;
  /** The command with its first arguments; by default this Node with the bundle. */
  readonly command?: readonly [string, ...string[]];
}

/** `reroll` as a process of its own, with its log read line by line. */
export class RerollProcess {
  readonly lines: LogEntry[] = [];
  /** Its standard error: usage errors, crashes. Log lines go to standard output. */
  stderr = '';
  readonly #child: ChildProcess;
  readonly #exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  readonly #listeners = new Set<() => void>();

  constructor({ args, env = {}, onLine, command = [process.execPath, bundlePath] }: RerollProcessOptions) {
    const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('REROLL_')));
    const [file, ...first] = command;
    this.#child = spawn(file, [...first, ...args], {
      env: { ...inherited, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { stdout, stderr } = this.#child;
    stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString('utf8')));
    if (stdout) {
      createInterface({ input: stdout }).on('line', (line) => {
        const entry = parseLine(line);
        this.lines.push(entry);
        onLine?.(entry);
        for (const listener of this.#listeners) listener();
      });
    }
    this.#exited = once(this.#child, 'close').then(([code, signal]) => ({ code, signal }) as never);
  }

  /** For the message of a failed test. */
  get logSoFar(): string {
    const lines = this.lines.map(({ message, error }) =>
      typeof error === 'string' ? `${message}: ${error}` : message,
    );
    return `the log so far:\n${lines.join('\n')}\n${this.stderr}`;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves with the first log line, past or future, that fits. Rejects if the process ends, or on timeout. */
  async line(fits: (entry: LogEntry) => boolean, timeoutMs = 30_000): Promise<LogEntry> {
    return await new Promise<LogEntry>((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(look);
      };
      const look = (): void => {
        const found = this.lines.find(fits);
        if (!found) return;
        end();
        resolve(found);
      };
      const fail = (why: string): void => {
        end();
        reject(new Error(`${why}; ${this.logSoFar}`));
      };
      const timer = setTimeout(() => fail(`no such line within ${String(timeoutMs)} ms`), timeoutMs);
      this.#listeners.add(look);
      void this.#exited.then(() => fail('the process ended'));
      look();
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends a signal and waits for the end. */
  async end(
    signal: NodeJS.Signals = 'SIGTERM',
  ): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }> {
    this.#child.kill(signal);
    return await this.#exited;
  }

  async exited(): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }> {
    return await this.#exited;
  }
}

function parseLine(line: string): LogEntry {
  try {
    return JSON.parse(line) as LogEntry;
  } catch {
    return { level: 'raw', message: line };
  }
}
