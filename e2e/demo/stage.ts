import { sleep, type Clock } from '../../shared/runtime/clock';
import { leaseKind } from '../apiserver/resources';
import type { LogEntry } from '../reroll-process';
import { callsOf, type ApiCalls } from './api-calls';
import type { Checks } from './checks';
import { restartEventsIn, restartEventTextsIn, restartsIn, type SeenRestart } from './restarts';
import { rerollUser, type ShopCluster } from './shop-cluster';
import type { Supervisor } from './supervisor';
import type { Timeline } from './timeline';

/** The reconciler's settle window. */
export const settleMs = 500;

/** Longer than the settle window: after this time without a write, no more writes are due. */
const quietMs = settleMs + 300;
const pollMs = 20;

/** Limits of one wait and of all scenes together: a demo that fails must still end by itself. */
const waitLimitMs = 15_000;
const storyLimitMs = 50_000;

/** A moment to count from: lengths of the history and the logs, and counters. */
export interface Mark {
  readonly writes: number;
  readonly requests: number;
  readonly lines: number;
  readonly starts: number;
  readonly webhookCalls: number;
}

export interface StageParts {
  readonly clock: Clock;
  readonly cluster: ShopCluster;
  /** The supervisor of the reconciler. */
  readonly supervisor: Supervisor;
  readonly webhook: Supervisor;
  /** The run of `reroll certs --once` that started with the demo; rejects if it fails. */
  readonly certificates: Promise<void>;
  /** The kubeconfig of the person who edits, and who asks. */
  readonly personKubeconfig: string;
  readonly timeline: Timeline;
  readonly checks: Checks;
}

/** The cluster and the processes of Reroll, with methods for scenes to wait for both and to count. */
export class Stage {
  readonly clock: Clock;
  readonly cluster: ShopCluster;
  readonly supervisor: Supervisor;
  readonly webhook: Supervisor;
  readonly certificates: Promise<void>;
  readonly personKubeconfig: string;
  readonly timeline: Timeline;
  readonly checks: Checks;
  readonly #endMs: number;
  readonly #owed: string[] = [];

  constructor(parts: StageParts) {
    const { clock, cluster, supervisor, webhook, certificates, personKubeconfig, timeline, checks } = parts;
    this.clock = clock;
    this.cluster = cluster;
    this.supervisor = supervisor;
    this.webhook = webhook;
    this.certificates = certificates;
    this.personKubeconfig = personKubeconfig;
    this.timeline = timeline;
    this.checks = checks;
    this.#endMs = clock.monotonicMs() + storyLimitMs;
  }

  /** Every restart owed so far, sorted by name: at the end, the history must show exactly these. */
  get owed(): readonly string[] {
    return this.#owed.toSorted();
  }

  /** Adds one owed restart for each workload. */
  owe(workloads: readonly string[]): void {
    this.#owed.push(...workloads);
  }

  mark(): Mark {
    const { server } = this.cluster;
    return {
      writes: server.history().length,
      requests: server.requests().length,
      lines: this.supervisor.lines.length,
      starts: this.#starts(),
      webhookCalls: this.cluster.webhookCalls.length,
    };
  }

  /** Restarts by the reconciler, from the API server's history. */
  restartsSince({ writes }: Pick<Mark, 'writes'>): readonly SeenRestart[] {
    return restartsIn(this.cluster.server.history().slice(writes), rerollUser);
  }

  /** The workload of each Event about a restart. */
  eventsSince({ writes }: Mark): readonly string[] {
    return restartEventsIn(this.cluster.server.history().slice(writes), rerollUser);
  }

  /** The messages of those Events. */
  eventTextsSince({ writes }: Mark): readonly string[] {
    return restartEventTextsIn(this.cluster.server.history().slice(writes), rerollUser);
  }

  callsSince({ requests }: Mark): ApiCalls {
    return callsOf(this.cluster.server.requests().slice(requests), rerollUser);
  }

  linesSince({ lines }: Mark): readonly LogEntry[] {
    return this.supervisor.lines.slice(lines);
  }

  /** Whether a process was started since then: what its predecessor knew but had not written is lost. */
  respawnedSince({ starts }: Mark): boolean {
    return this.#starts() !== starts;
  }

  /** Waits for the condition; false on timeout. */
  async until(condition: () => boolean): Promise<boolean> {
    const limitMs = Math.min(this.clock.monotonicMs() + waitLimitMs, this.#endMs);
    while (!condition()) {
      if (this.clock.monotonicMs() >= limitMs) return false;
      await this.pause(pollMs);
    }
    return true;
  }

  /** Waits until the reconciler has been ready for {@link quietMs} and nothing was written meanwhile. */
  async quiet(): Promise<boolean> {
    return await this.until(() => {
      const { readySinceMs } = this.supervisor;
      return readySinceMs !== undefined && this.clock.nowMs() - Math.max(readySinceMs, this.#lastWriteMs()) >= quietMs;
    });
  }

  async pause(ms: number): Promise<void> {
    await sleep(this.clock, ms);
  }

  #starts(): number {
    return this.supervisor.starts + this.webhook.starts;
  }

  /** The last write by a person or the reconciler. The cluster's controllers and lease renewals do not count. */
  #lastWriteMs(): number {
    const last = this.cluster.server
      .history()
      .findLast(({ user, kind }) => !user.startsWith('system:') && kind !== leaseKind);
    return last?.atMs ?? 0;
  }
}
