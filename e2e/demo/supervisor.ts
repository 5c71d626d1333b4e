import { sleep, type Clock } from '../../shared/runtime/clock';
import { RerollProcess, type LogEntry } from '../reroll-process';
import type { Guard, Program } from './guard';

export interface SupervisorOptions {
  readonly clock: Clock;
  readonly guard: Guard;
  readonly program: Program;
  /** The line of its log after which its readiness is asked for. */
  readonly upLine: string;
  /** Of `reroll`. */
  readonly args: readonly string[];
  /** The same for every process, as for a container that a kubelet starts again in its pod. */
  readonly podName: string;
  readonly onEvent: (event: SupervisorEvent) => void;
}

export type SupervisorEvent =
  | { readonly kind: 'started'; readonly pid: number | undefined }
  /** By its own word; `afterMs` counts from its start. */
  | { readonly kind: 'ready'; readonly pid: number | undefined; readonly afterMs: number }
  | { readonly kind: 'ended'; readonly pid: number | undefined; readonly how: string; readonly respawns: boolean }
  | { readonly kind: 'told'; readonly line: LogEntry };

/** How the process ended that was asked to. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly tookMs: number;
}

/** A process that ends by itself would end again at once: a kubelet backs off too. */
const crashDelayMs = 500;
const probeIntervalMs = 25;
const stopGraceMs = 3_000;

/** Keeps one process running: starts it again at once whenever it dies. */
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

  /** How many processes there have been: another number means that the process is another one. */
  get starts(): number {
    return this.#starts;
  }

  /** By the wall clock; undefined while no process is ready. */
  get readySinceMs(): number | undefined {
    return this.#readySinceMs;
  }

  /** `127.0.0.1:40123`; undefined while nothing is served. */
  get metricsAddress(): string | undefined {
    return this.#metricsAddress;
  }

  /** The log of all processes so far. */
  get lines(): readonly LogEntry[] {
    return this.#lines;
  }

  /** From now on a process runs. */
  start(): void {
    this.#wanted = true;
    if (!this.#process) this.#spawn();
  }

  /** `kill -9`, and none is started again until {@link start}. */
  async killAndHold(): Promise<void> {
    this.#wanted = false;
    await this.#process?.end('SIGKILL');
  }

  /** Asks the process to end, and starts none again. Undefined where none ran. */
  async terminate(): Promise<Ending | undefined> {
    this.#wanted = false;
    const startedMs = this.#options.clock.monotonicMs();
    const ending = await this.#process?.end('SIGTERM');
    return ending && { ...ending, tookMs: this.#options.clock.monotonicMs() - startedMs };
  }

  /** Ends the process in any case. */
  async stop(): Promise<void> {
    const process = this.#process;
    const overdue = this.#options.clock.timer(stopGraceMs, () => void process?.end('SIGKILL'));
    await this.terminate();
    overdue.cancel();
  }

  #spawn(): void {
    const { args, podName, onEvent, guard, program, clock } = this.#options;
    // KUBERNETES_NAMESPACE of whoever runs the demo would narrow what is watched.
    const env = { POD_NAME: podName, KUBERNETES_NAMESPACE: '' };
    const startedMs = clock.monotonicMs();
    const process = new RerollProcess({ args, env, onLine: (line) => this.#onLine(process, startedMs, line) });
    this.#process = process;
    this.#starts += 1;
    guard.watch(program, process.pid);
    onEvent({ kind: 'started', pid: process.pid });
    void this.#follow(process);
  }

  /** Never rejects: that of a process that cannot be started is an ending like others. */
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

  /** To be up is not enough: what a reconciler has not listed yet it cannot compare. Never rejects. */
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
    // It may have died between the line and the probe.
    return false;
  }
}
