import http from 'node:http';
import { text } from 'node:stream/consumers';
import { MetricSamples } from '../metric-samples';
import { processUsage } from '../bench/process-usage';
import type { RerollProcess } from '../reroll-process';
import { probesOf } from '../webhook/reroll-cluster';

/** The worst figures of one process. */
export interface Observed {
  readonly name: string;
  readonly peakResidentMiB: number;
  /** The longest delay of the event loop, as the process measured it. */
  readonly worstLoopDelayMs: number;
  /** The longest time in which a probe was answered. */
  readonly worstProbeMs: number;
  /** The most consecutive probes that were not answered. After six, a kubelet restarts the pod. */
  readonly unansweredProbes: number;
  readonly ended: boolean;
}

/** Records the worst figures of processes, each time that it looks at them. */
export class ObservedProcesses {
  readonly #worst = new Map<string, Observed>();
  /** For each process: how many of the latest probes in a row were not answered. */
  readonly #unanswered = new Map<string, number>();
  readonly #processes: Readonly<Record<string, RerollProcess>>;

  constructor(processes: Readonly<Record<string, RerollProcess>>) {
    this.#processes = processes;
    for (const [name, process] of Object.entries(processes)) {
      this.#worst.set(name, {
        ...{ name, peakResidentMiB: 0, worstLoopDelayMs: 0, worstProbeMs: 0, unansweredProbes: 0, ended: false },
      });
      void process.exited().then(() => this.#update(name, { ended: true }));
    }
  }

  get worst(): readonly Observed[] {
    return [...this.#worst.values()];
  }

  /** Looks at each process once, except those that have ended. */
  async look(): Promise<void> {
    await Promise.all(
      Object.entries(this.#processes).map(async ([name, process]) => {
        if (this.#worst.get(name)?.ended === true || process.pid === undefined) return;
        const address = await probesOf(process);
        const startMs = performance.now();
        const probe = await getAsKubelet(address, '/healthz');
        const probeMs = performance.now() - startMs;
        const metrics = await getAsKubelet(address, '/metrics');
        const unanswered = probe === undefined ? (this.#unanswered.get(name) ?? 0) + 1 : 0;
        this.#unanswered.set(name, unanswered);
        this.#update(name, {
          peakResidentMiB: processUsage(process.pid).peakResidentBytes / 2 ** 20,
          ...(metrics !== undefined && { worstLoopDelayMs: new MetricSamples(metrics).sum(loopDelay) * 1000 }),
          ...(probe !== undefined && { worstProbeMs: probeMs }),
          unansweredProbes: unanswered,
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
      unansweredProbes: Math.max(former.unansweredProbes, seen.unansweredProbes ?? 0),
      ended: former.ended || seen.ended === true,
    });
  }
}

const loopDelay = 'nodejs_eventloop_lag_max_seconds';

/**
 * The number of connections is limited for each address. The probes use an address of their own, as a kubelet does, not
 * the attacker's.
 */
const kubeletAddress = '127.0.0.2';

/** The body of the answer; undefined if there is none within ten times the timeout of a kubelet. */
async function getAsKubelet(address: string, path: string): Promise<string | undefined> {
  return await new Promise((resolve) => {
    const request = http.get(
      `http://${address}${path}`,
      { localAddress: kubeletAddress, agent: false, timeout: 10_000 },
      (response) => {
        text(response).then(resolve, () => resolve(undefined));
      },
    );
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
  });
}
