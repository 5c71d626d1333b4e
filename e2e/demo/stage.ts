import { sleep, type Clock } from '../../shared/runtime/clock';
import { leaseKind } from '../apiserver/resources';
import type { LogEntry } from '../reroll-process';
import { callsOf, type ApiCalls } from './api-calls';
import type { Checks } from './checks';
import { restartEventsIn, restartEventTextsIn, restartsIn, type SeenRestart } from './restarts';
import { rerollUser, type ShopCluster } from './shop-cluster';
import type { Supervisor } from './supervisor';
import type { Timeline } from './timeline';

/** How long the reconciler waits for quiet before it restarts. */
export const settleMs = 500;

/** Longer than settling takes: where nothing was written for so long, nothing more is to come. */
const quietMs = settleMs + 300;
const pollMs = 20;

/** No wait is longer, and all together are not either: a demo that fails must still end by itself. */
const waitLimitMs = 15_000;
const storyLimitMs = 50_000;

/** A moment to count from. */
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
  /** Of the reconciler. */
  readonly supervisor: Supervisor;
  readonly webhook: Supervisor;
  /** `reroll certs --once`, which began with the demo; rejects when it could not do what it is for. */
  readonly certificates: Promise<void>;
  readonly timeline: Timeline;
  readonly checks: Checks;
}

/** A cluster and a reconciler that watches it, with what scenes need to wait for both and to count. */
export class Stage {
  readonly clock: Clock;
  readonly cluster: ShopCluster;
  readonly supervisor: Supervisor;
  readonly webhook: Supervisor;
  readonly certificates: Promise<void>;
  readonly timeline: Timeline;
  readonly checks: Checks;
  readonly #endMs: number;
  readonly #owed: string[] = [];

  constructor({ clock, cluster, supervisor, webhook, certificates, timeline, checks }: StageParts) {
    this.clock = clock;
    this.cluster = cluster;
    this.supervisor = supervisor;
    this.webhook = webhook;
    this.certificates = certificates;
    this.timeline = timeline;
    this.checks = checks;
    this.#endMs = clock.monotonicMs() + storyLimitMs;
  }

  /** Every restart that was owed so far, in order of name: what the history has to show in the end. */
  get owed(): readonly string[] {
    return this.#owed.toSorted();
  }

  /** One restart for each. */
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

  /** By the API server's history. */
  restartsSince({ writes }: Pick<Mark, 'writes'>): readonly SeenRestart[] {
    return restartsIn(this.cluster.server.history().slice(writes), rerollUser);
  }

  /** Workloads with an Event about their restart. */
  eventsSince({ writes }: Mark): readonly string[] {
    return restartEventsIn(this.cluster.server.history().slice(writes), rerollUser);
  }

  /** What those Events say. */
  eventTextsSince({ writes }: Mark): readonly string[] {
    return restartEventTextsIn(this.cluster.server.history().slice(writes), rerollUser);
  }

  callsSince({ requests }: Mark): ApiCalls {
    return callsOf(this.cluster.server.requests().slice(requests), rerollUser);
  }

  linesSince({ lines }: Mark): readonly LogEntry[] {
    return this.supervisor.lines.slice(lines);
  }

  /** Whether a process of that moment is not the present one: what it knew and did not write down is gone. */
  respawnedSince({ starts }: Mark): boolean {
    return this.#starts() !== starts;
  }

  /** Waits; false when the time is over first. */
  async until(condition: () => boolean): Promise<boolean> {
    const limitMs = Math.min(this.clock.monotonicMs() + waitLimitMs, this.#endMs);
    while (!condition()) {
      if (this.clock.monotonicMs() >= limitMs) return false;
      await this.pause(pollMs);
    }
    return true;
  }

  /** Waits until a ready reconciler has had time for everything there is to do, and has nothing left to do. */
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

  /** Of a person or of the reconciler; its lease, which it renews forever, and the cluster's controllers do not count. */
  #lastWriteMs(): number {
    const last = this.cluster.server
      .history()
      .findLast(({ user, kind }) => !user.startsWith('system:') && kind !== leaseKind);
    return last?.atMs ?? 0;
  }
}
