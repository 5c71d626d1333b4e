import type { EngineSettings } from '../../reconciler/engine';
import { Reconciler } from '../../reconciler/reconciler';
import { KubeClient } from '../../shared/kube/client';
import { staticCredentials } from '../../shared/kube/credentials';
import { Metrics } from '../../reconciler/metrics';
import { RecordingLogger, type LogLine } from '../../shared/runtime/recording-logger';
import { defaultSettings } from '../engine-settings';
import { Draw } from './draw';
import { engineUserPrefix } from './engine-user';
import type { Loop } from './loop';
import type { Network } from './network';
import { SimulatedProcess } from './process';

/** One process that runs or ran. */
export interface Incarnation {
  readonly process: SimulatedProcess;
  readonly reconciler: Reconciler;
  readonly metrics: Metrics;
  readonly lines: readonly LogLine[];
}

export interface ReplicasOptions {
  readonly loop: Loop;
  readonly network: Network;
  readonly draw: Draw;
  readonly settings: Partial<EngineSettings>;
  readonly told: (who: string, what: string) => void;
}

interface Slot {
  current: Incarnation | undefined;
  starts: number;
}

/** The replicas of the reconciler, as a Deployment keeps them: what dies is started anew, with nothing in memory. */
export class Replicas {
  readonly #options: ReplicasOptions;
  readonly #slots: readonly Slot[];
  readonly #all: Incarnation[] = [];

  constructor(count: number, options: ReplicasOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: count }, () => ({ current: undefined, starts: 0 }));
  }

  /** All that ever ran. */
  get all(): readonly Incarnation[] {
    return this.#all;
  }

  get running(): readonly Incarnation[] {
    return this.#slots.flatMap(({ current }) => current ?? []);
  }

  /** All are up, and have been for long enough to have looked at everything. */
  get complete(): boolean {
    const states = this.#slots.map(({ current }) => current?.reconciler.status.state);
    return states.every((state) => state === 'acting' || state === 'standby');
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

  /** SIGTERM: it has time to finish. */
  stop(index: number, downMs: number): void {
    const slot = this.#running(index);
    if (!slot) return;
    const { process, reconciler } = slot.current;
    this.#options.told(process.name, 'is asked to stop');
    const stopped = reconciler.stop();
    // A grace period, as a kubelet gives; what has not ended by then is killed.
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

  /** Whatever was done to them is over; what is down comes back at the time that was said. */
  relieve(): void {
    for (const { process } of this.running) {
      this.#options.network.heal(process);
      process.thaw();
      process.setClockOff(0);
    }
  }

  #running(index: number): (Slot & { readonly current: Incarnation }) | undefined {
    const slot = this.#slots[index % this.#slots.length];
    return slot?.current === undefined ? undefined : (slot as Slot & { readonly current: Incarnation });
  }

  #empty(index: number, downMs: number): void {
    const slot = this.#slots[index % this.#slots.length];
    if (!slot) return;
    slot.current = undefined;
    this.#options.loop.timer(downMs, () => this.#start(index % this.#slots.length));
  }

  #start(index: number): void {
    const slot = this.#slots[index];
    if (!slot || slot.current) return;
    const { loop, network, draw, settings, told } = this.#options;
    slot.starts += 1;
    const identity = `${engineUserPrefix}${String(index)}-${String(slot.starts)}`;
    const process = new SimulatedProcess(identity, loop, new Draw(draw.seed()).random);
    const logger = new RecordingLogger();
    const metrics = new Metrics({ countByNamespace: false });
    const { clock, random } = process;
    const client = new KubeClient({
      transport: network.transport(process),
      credentials: staticCredentials({}),
      ...{ clock, logger, userAgent: 'reroll/simulated' },
    });
    const reconciler = new Reconciler(
      { client, clock, random, logger, metrics },
      { ...defaultSettings, ...settings, identity },
    );
    slot.current = { process, reconciler, metrics, lines: logger.lines };
    this.#all.push(slot.current);
    told(identity, 'starts');
    reconciler.start();
  }
}
