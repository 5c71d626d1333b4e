import { RecordingLogger, type LogLine } from '../../shared/runtime/log/recording-logger';
import { Draw } from './draw';
import type { Loop } from './loop';
import type { Network } from './network';
import { SimulatedProcess } from './process';
import type { ToldMetrics } from './told-metrics';

/** One process that runs or ran, with what a test may look at. */
export interface Incarnation {
  readonly process: SimulatedProcess;
  readonly lines: readonly LogLine[];
  readonly metrics: ToldMetrics;
  /** SIGTERM; settles when the process has finished. */
  stop(): Promise<void>;
}

/** What runs in a process. `start` builds everything from the composition root, with nothing in memory. */
export interface Program<T extends Incarnation> {
  /** The prefix of its process names. */
  readonly prefix: string;
  start(process: SimulatedProcess, logger: RecordingLogger): T;
}

export interface ReplicasOptions<T extends Incarnation> {
  readonly loop: Loop;
  readonly network: Network;
  readonly draw: Draw;
  readonly program: Program<T>;
  readonly told: (who: string, what: string) => void;
  /** Called when a process has started or gone. */
  readonly changed?: () => void;
}

interface Slot<T> {
  current: T | undefined;
  starts: number;
}

/** The replicas of a program, kept as by a Deployment: a process that dies is replaced. */
export class Replicas<T extends Incarnation> {
  readonly #options: ReplicasOptions<T>;
  readonly #slots: readonly Slot<T>[];
  readonly #all: T[] = [];

  constructor(count: number, options: ReplicasOptions<T>) {
    this.#options = options;
    this.#slots = Array.from({ length: count }, () => ({ current: undefined, starts: 0 }));
  }

  /** All processes that ever ran. */
  get all(): readonly T[] {
    return this.#all;
  }

  get running(): readonly T[] {
    return this.#slots.flatMap(({ current }) => current ?? []);
  }

  /** The current process in each place. A process that dies is replaced in the same place. */
  get slots(): readonly (T | undefined)[] {
    return this.#slots.map(({ current }) => current);
  }

  startAll(): void {
    this.#slots.forEach((_slot, index) => this.#start(index));
  }

  crash(index: number, downMs: number): void {
    const slot = this.#running(index);
    if (!slot) return;
    const { process } = slot.current;
    this.#options.told(process.name, `is killed, for ${String(downMs)} ms`);
    process.kill();
    this.#empty(index, downMs);
  }

  crashAll(downMs: number): void {
    this.#slots.forEach((_slot, index) => this.crash(index, downMs));
  }

  freeze(index: number, durationMs: number): void {
    const slot = this.#running(index);
    if (!slot) return;
    const { process } = slot.current;
    this.#options.told(process.name, `freezes, for ${String(durationMs)} ms`);
    process.freeze();
    this.#options.loop.timer(durationMs, () => {
      if (process.state === 'frozen') this.#options.told(process.name, 'thaws');
      process.thaw();
    });
  }

  /** SIGTERM: the process has time to finish. */
  stop(index: number, downMs: number): void {
    const slot = this.#running(index);
    if (!slot) return;
    const { process } = slot.current;
    this.#options.told(process.name, 'is asked to stop');
    const stopped = slot.current.stop();
    // The kubelet's grace period. A process that has not ended by then is killed.
    const graceMs = 30_000;
    this.#empty(index, downMs + graceMs);
    void stopped.then(() => this.#options.told(process.name, 'has stopped'));
    this.#options.loop.timer(graceMs, () => process.kill());
  }

  partition(index: number, durationMs: number): void {
    const slot = this.#running(index);
    if (!slot) return;
    const { process } = slot.current;
    const { network, loop, told } = this.#options;
    told(process.name, `is cut off from the server, for ${String(durationMs)} ms`);
    network.cut(process);
    loop.timer(durationMs, () => network.heal(process));
  }

  setClockOff(index: number, skewMs: number): void {
    const slot = this.#running(index);
    if (!slot) return;
    this.#options.told(slot.current.process.name, `its clock is ${String(skewMs)} ms off`);
    slot.current.process.setClockOff(skewMs);
  }

  /** Ends partitions, freezes and clock skews. A process that is down comes back at its set time. */
  relieve(): void {
    for (const { process } of this.running) {
      this.#options.network.heal(process);
      process.thaw();
      process.setClockOff(0);
    }
  }

  #running(index: number): (Slot<T> & { readonly current: T }) | undefined {
    const slot = this.#slots[index % this.#slots.length];
    return slot?.current === undefined ? undefined : (slot as Slot<T> & { readonly current: T });
  }

  #empty(index: number, downMs: number): void {
    const slot = this.#slots[index % this.#slots.length];
    if (!slot) return;
    slot.current = undefined;
    this.#options.changed?.();
    this.#options.loop.timer(downMs, () => this.#start(index % this.#slots.length));
  }

  #start(index: number): void {
    const slot = this.#slots[index];
    if (!slot || slot.current) return;
    const { loop, draw, program, told } = this.#options;
    slot.starts += 1;
    const name = `${program.prefix}${String(index)}-${String(slot.starts)}`;
    const process = new SimulatedProcess(name, loop, new Draw(draw.seed()).random);
    told(name, 'starts');
    slot.current = program.start(process, new RecordingLogger());
    this.#all.push(slot.current);
    this.#options.changed?.();
  }
}
