import { MetricSamples } from '../metric-samples';
import { processUsage } from '../bench/process-usage';
import type { RerollProcess } from '../reroll-process';
import { probesOf } from '../webhook/reroll-cluster';

/** The worst that was seen of one process. */
export interface Observed {
  readonly name: string;
  readonly peakResidentMiB: number;
  /** The longest that the event loop was held, as the process measured it. */
  readonly worstLoopDelayMs: number;
  /** The longest that a probe took to be answered; Infinity: it was not. */
  readonly worstProbeMs: number;
  readonly ended: boolean;
}

/** Looks at processes until it is told to stop. */
export class ObservedProcesses {
  readonly #worst = new Map<string, Observed>();
  readonly #processes: Readonly<Record<string, RerollProcess>>;

  constructor(processes: Readonly<Record<string, RerollProcess>>) {
    this.#processes = processes;
    for (const [name, process] of Object.entries(processes)) {
      this.#worst.set(name, {
        ...{ name, peakResidentMiB: 0, worstLoopDelayMs: 0, worstProbeMs: 0, ended: false },
      });
      void process.exited().then(() => this.#update(name, { ended: true }));
    }
  }

  get worst(): readonly Observed[] {
    return [...this.#worst.values()];
  }

  /** One look at each; a process that has ended is left out. */
  async look(): Promise<void> {
    await Promise.all(
      Object.entries(this.#processes).map(async ([name, process]) => {
        if (this.#worst.get(name)?.ended === true || process.pid === undefined) return;
        const probes = `http://${await probesOf(process)}`;
        const startMs = performance.now();
        await fetch(`${probes}/healthz`, { headers: { connection: 'close' } });
        const probeMs = performance.now() - startMs;
        const metrics = new MetricSamples(await (await fetch(`${probes}/metrics`)).text());
        this.#update(name, {
          peakResidentMiB: processUsage(process.pid).peakResidentBytes / 2 ** 20,
          worstLoopDelayMs: metrics.sum('nodejs_eventloop_lag_max_seconds') * 1000,
          worstProbeMs: probeMs,
        });
      }),
    );
  }

  #update(name: string, seen: Partial<Observed>): void {
    const former = this.#worst.get(name);
    if (!former) return;
    this.#worst.set(name, {
      name,
      peakResidentMiB: Math.max(former.peakResidentMiB, seen.peakResidentMiB ?? 0),
      worstLoopDelayMs: Math.max(former.worstLoopDelayMs, seen.worstLoopDelayMs ?? 0),
      worstProbeMs: Math.max(former.worstProbeMs, seen.worstProbeMs ?? 0),
      ended: former.ended || seen.ended === true,
    });
  }
}
