import { sleep, type Clock } from '../../shared/runtime/clock';
import { RerollProcess, type LogEntry } from '../reroll-process';
import type { Guard, Program } from './guard';

export interface SupervisorOptions {
  readonly clock: Clock;
  readonly guard: Guard;
  readonly program: Program;
  /** The log line after which readiness is probed. */
  readonly upLine: string;
  /** Arguments of `reroll`. */
  readonly args: readonly string[];
  /** The same for every process, as for a container that a kubelet restarts in its pod. */
  readonly podName: string;
  readonly onEvent: (event: SupervisorEvent) => void;
}

export type SupervisorEvent =
  | { readonly kind: 'started'; readonly pid: number | undefined }
  /** The readiness probe succeeded, `afterMs` after the start of the process. */
  | { readonly kind: 'ready'; readonly pid: number | undefined; readonly afterMs: number }
  | { readonly kind: 'ended'; readonly pid: number | undefined; readonly how: string; readonly respawns: boolean }
  | { readonly kind: 'told'; readonly line: LogEntry };

/** How a process ended after SIGTERM. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly tookMs: number;
}

/** Delay before a process that ended by itself is restarted: it would end again at once, so a kubelet backs off too. */
const crashDelayMs = 500;
const probeIntervalMs = 25;
const stopGraceMs = 3_000;

/** Keeps one process running: restarts it whenever it dies, at once if a signal killed it. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #lines: LogEntry[] = [];
  #process: RerollProcess | undefined;
  #wanted = false;
  #starts = 0;
  #readySinceMs: number | undefined;
  #metricsAddress: string | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** How many processes have been started: a different number means a different process. */
  get starts(): number {
    return this.#starts;
  }

  /** Since when the process is ready, by the wall clock; undefined while none is ready. */
  get readySinceMs(): number | undefined {
    return this.#readySinceMs;
  }

  /** Such as `127.0.0.1:40123`; undefined while nothing is served. */
  get metricsAddress(): string | undefined {
    return this.#metricsAddress;
  }

  /** The logs of all processes so far. */
  get lines(): readonly LogEntry[] {
    return this.#lines;
  }

  /** Starts a process unless one runs, and keeps one running from now on. */
  start(): void {
    this.#wanted = true;
    if (!this.#process) this.#spawn();
  }

  /** Kills the process with SIGKILL; none is started until {@link start}. */
  async killAndHold(): Promise<void> {
    this.#wanted = false;
    await this.#process?.end('SIGKILL');
  }

  /** Sends SIGTERM, waits for the end and starts no successor. Undefined if no process ran. */
  async terminate(): Promise<Ending | undefined> {
    this.#wanted = false;
    const startedMs = this.#options.clock.monotonicMs();
    const ending = await this.#process?.end('SIGTERM');
    return ending && { ...ending, tookMs: this.#options.clock.monotonicMs() - startedMs };
  }

  /** Ends the process: by SIGTERM, and by SIGKILL if it takes too long. */
  async stop(): Promise<void> {
    const process = this.#process;
    const overdue = this.#options.clock.timer(stopGraceMs, () => void process?.end('SIGKILL'));
    await this.terminate();
    overdue.cancel();
  }

  #spawn(): void {
    const { args, podName, onEvent, guard, program, clock } = this.#options;
    // An inherited KUBERNETES_NAMESPACE would limit what is watched.
    const env = { POD_NAME: podName, KUBERNETES_NAMESPACE: '' };
    const startedMs = clock.monotonicMs();
    const process = new RerollProcess({ args, env, onLine: (line) => this.#onLine(process, startedMs, line) });
    this.#process = process;
    this.#starts += 1;
    guard.watch(program, process.pid);
    onEvent({ kind: 'started', pid: process.pid });
    void this.#follow(process);
  }

  /** Waits for the end of the process and restarts it if wanted. */
  async #follow(process: RerollProcess): Promise<void> {
    const { guard, program, onEvent, clock } = this.#options;
    const { code, signal } = await process.exited();
    guard.watch(program, undefined);
    this.#process = undefined;
    this.#readySinceMs = undefined;
    this.#metricsAddress = undefined;
    const said = process.stderr.trim().split('\n')[0] ?? '';
    const how = signal === null ? `exit code ${String(code)}${said === '' ? '' : `: ${said}`}` : signal;
    onEvent({ kind: 'ended', pid: process.pid, how, respawns: this.#wanted });
    if (signal === null) await sleep(clock, crashDelayMs);
    if (this.#wanted) this.start();
  }

  #onLine(process: RerollProcess, startedMs: number, line: LogEntry): void {
    this.#lines.push(line);
    this.#options.onEvent({ kind: 'told', line });
    if (line.message === 'serving metrics and probes') this.#metricsAddress = String(line['address']);
    if (line.message === this.#options.upLine) void this.#awaitReady(process, startedMs);
  }

  /** Being up is not enough: a reconciler cannot compare what it has not listed yet. Never rejects. */
  async #awaitReady(process: RerollProcess, startedMs: number): Promise<void> {
    const { clock, onEvent } = this.#options;
    while (this.#process === process && !(await isReady(this.#metricsAddress))) await sleep(clock, probeIntervalMs);
    if (this.#process !== process) return;
    this.#readySinceMs = clock.nowMs();
    onEvent({ kind: 'ready', pid: process.pid, afterMs: clock.monotonicMs() - startedMs });
  }
}

async function isReady(address: string | undefined): Promise<boolean> {
  if (address === undefined) return false;
  try {
    return (await fetch(`http://${address}/readyz`)).ok;
  } catch {
    // The process may have died between the log line and the probe.
    return false;
  }
}
