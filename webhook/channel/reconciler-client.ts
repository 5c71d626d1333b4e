import { budgets } from '../../shared/domain/budgets';
import type { ChannelPath } from '../../shared/domain/protocol/channel-names';
import { Deadline } from '../../shared/kube/client/deadline';
import type { Clock } from '../../shared/runtime/clock';
import type { ChannelTransport } from './channel-transport';

export interface ReconcilerClientOptions {
  readonly transport: ChannelTransport;
  readonly clock: Clock;
  /** The replicas, each `ip:port`. */
  readonly addresses: () => Iterable<string>;
}

/**
 * After a query timed out, none is sent for this long, so that one of many writes waits and not each. Kept per path: a
 * slow preview says nothing about mutations.
 */
const silenceMs = 10_000;

/** More queries would wait for one another, and a write is better answered without them than late. */
const maxUnderWay = 32;

/** Queries the replicas of the reconciler. Only the leader answers. */
export class ReconcilerClient {
  readonly #options: ReconcilerClientOptions;
  #underWay = 0;
  readonly #silentUntilMs = new Map<ChannelPath, number>();

  constructor(options: ReconcilerClientOptions) {
    this.#options = options;
  }

  /** Whether a query would be sent now. Ask before building a costly one, so that a flood of reviews stays cheap. */
  canQuery(path: ChannelPath): boolean {
    const silentUntilMs = this.#silentUntilMs.get(path) ?? 0;
    return this.#underWay < maxUnderWay && this.#options.clock.monotonicMs() >= silentUntilMs;
  }

  /**
   * Queries all replicas at once, because the webhook does not know the leader. Resolves to the first answer with
   * status 200, parsed. Undefined if there is none within `timeoutMs`, and at once if the question is too large, too many
   * queries are under way or the last one timed out. Never rejects.
   */
  async query(path: ChannelPath, question: object, timeoutMs: number): Promise<unknown> {
    const { clock, transport, addresses } = this.#options;
    if (!this.canQuery(path)) return undefined;
    this.#underWay += 1;
    const deadline = new Deadline(clock);
    deadline.set(timeoutMs);
    try {
      // Throws if the object in it is nested too deep.
      const body = Buffer.from(JSON.stringify(question));
      // Reconcilers would refuse it after they had received most of it.
      if (body.length > budgets.questionBytes) return undefined;
      const asked = [...addresses()].map(async (address) => {
        const answer = await deadline.race(transport.post(address, path, body, deadline.signal));
        if (answer.status !== 200 || !answer.body) throw new Error('not the leader');
        return JSON.parse(answer.body.toString('utf8')) as unknown;
      });
      return await Promise.any(asked);
    } catch {
      // The queues of change records log what is wrong with these replicas.
      return undefined;
    } finally {
      this.#underWay -= 1;
      if (deadline.expired) this.#silentUntilMs.set(path, clock.monotonicMs() + silenceMs);
      // Cancels the slower replicas, whose answers are no longer needed.
      deadline.abort();
      deadline.dispose();
    }
  }
}
