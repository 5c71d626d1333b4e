import { errorMessage } from '../../domain/errors';
import type { Clock } from '../clock';
import type { Logger } from '../log/logger';

/** A part of the process that runs until it is stopped. */
export interface Component {
  readonly name: string;
  /** Returns nothing if there is nothing to wait for. */
  start(): void | Promise<void>;
  /** Called once, and only after `start` has resolved. */
  stop(): Promise<void>;
}

export type StopSignal = 'SIGTERM' | 'SIGINT';

/** The operating system's interface to a process; the composition root connects it to `process`. */
export interface ProcessPort {
  onSignal(signal: StopSignal, listener: () => void): void;
  /** Unhandled rejections and uncaught exceptions. */
  onCrash(listener: (thrown: unknown) => void): void;
  /** Does not return in a real process. */
  exit(code: number): void;
}

export interface LifecycleOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly process: ProcessPort;
  /** In start order; they are stopped in reverse. */
  readonly components: readonly Component[];
  /** Time limit for stopping. It is less than the ten seconds after which an impatient supervisor kills the process. */
  readonly drainMs?: number;
}

const defaultDrainMs = 9_000;

/** By convention 128 plus the number of the signal. */
const signalExitCodes: Readonly<Record<StopSignal, number>> = { SIGINT: 130, SIGTERM: 143 };

/**
 * Start and stop of a process.
 *
 *     starting -> running -> draining -> exit 0
 *         \          \           \----> exit 1: a component failed to stop, or was still stopping at the deadline
 *          \----------\---------------> draining, then exit 1: failed to start, or crashed
 *
 * A second signal while draining exits at once with 130 or 143.
 */
export class Lifecycle {
  readonly #options: LifecycleOptions;
  readonly #started: Component[] = [];
  /** Settles when the current start has ended. A drain must stop that component too, or it would continue unnoticed. */
  #starting: Promise<void> = Promise.resolve();
  /** The component that a drain waits for, to name it if it hangs. */
  #waitingFor: string | undefined;
  #draining = false;
  #failed = false;
  #exited = false;

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  /** Resolves when all components run, or when a stop has begun before that. Never rejects. */
  async run(): Promise<void> {
    const { process, components, logger } = this.#options;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.onSignal(signal, () => this.#onSignal(signal));
    process.onCrash((thrown) => {
      logger.error('crashed', { error: errorMessage(thrown), stack: stackOf(thrown) });
      this.#fail();
    });
    for (const component of components) {
      this.#waitingFor = component.name;
      this.#starting = this.#start(component);
      await this.#starting;
      if (this.#draining) return;
    }
    logger.info('started', { components: components.map(({ name }) => name) });
  }

  async #start(component: Component): Promise<void> {
    try {
      await component.start();
      this.#started.push(component);
    } catch (thrown) {
      const { logger } = this.#options;
      logger.error('a component failed to start', { component: component.name, error: errorMessage(thrown) });
      this.#fail();
    }
  }

  #onSignal(signal: StopSignal): void {
    const { logger } = this.#options;
    if (this.#draining) {
      logger.warn('second signal: stopping at once', { signal });
      this.#exit(signalExitCodes[signal]);
      return;
    }
    logger.info('stopping', { signal });
    this.#drain();
  }

  #fail(): void {
    this.#failed = true;
    if (!this.#draining) this.#drain();
  }

  #drain(): void {
    this.#draining = true;
    const { clock, logger, drainMs = defaultDrainMs } = this.#options;
    const deadline = clock.timer(drainMs, () => {
      logger.error('did not stop in time', {
        component: this.#waitingFor,
        drainMs,
        notStopped: this.#started.map(({ name }) => name),
      });
      this.#exit(1);
    });
    void this.#stopAll().then(() => {
      deadline.cancel();
      if (!this.#failed) logger.info('stopped');
      this.#exit(this.#failed ? 1 : 0);
    });
  }

  /** Never rejects. */
  async #stopAll(): Promise<void> {
    await this.#starting;
    for (let component = this.#started.pop(); component; component = this.#started.pop()) {
      this.#waitingFor = component.name;
      try {
        await component.stop();
      } catch (thrown) {
        const { logger } = this.#options;
        logger.error('a component failed to stop', { component: component.name, error: errorMessage(thrown) });
        this.#failed = true;
      }
    }
  }

  /** Exits once; later calls have no effect. */
  #exit(code: number): void {
    if (this.#exited) return;
    this.#exited = true;
    this.#options.process.exit(code);
  }
}

function stackOf(thrown: unknown): string | undefined {
  return thrown instanceof Error ? thrown.stack : undefined;
}

/** The process as a lifecycle sees it. */
export function processPort(process: NodeJS.Process): ProcessPort {
  return {
    onSignal: (signal, listener) => void process.on(signal, listener),
    onCrash: (listener) => {
      process.on('uncaughtException', listener);
      process.on('unhandledRejection', listener);
    },
    exit: (code) => process.exit(code),
  };
}

/**
 * Ends process 1 of a container at a signal that nobody else handles. The kernel ignores such a signal there: a process
 * that is still starting would miss its SIGTERM and run until SIGKILL, with the Lease, and Ctrl-C would not end a command.
 */
export function obeySignals(process: Pick<NodeJS.Process, 'pid' | 'on' | 'listenerCount' | 'exit'>): void {
  if (process.pid !== 1) return;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(signalExitCodes[signal]);
    });
  }
}

/**
 * Keeps SIGUSR1 from opening Node's debugger, which lets anybody who connects read the whole process: keys, digests,
 * the API server token. Some who may not read those can send the signal: another container of a pod with a shared
 * process namespace, or a sidecar with the same user. A listener takes the signal away from Node, even if Node has no
 * `--disable-sigusr1`.
 */
export function turnDebuggerOff(process: Pick<NodeJS.Process, 'on'>): void {
  process.on('SIGUSR1', () => undefined);
}
