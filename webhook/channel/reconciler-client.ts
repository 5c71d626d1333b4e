import type { ChannelPath } from '../../shared/domain/protocol/channel-names';
import { Deadline } from '../../shared/kube/client/deadline';
import type { Clock } from '../../shared/runtime/clock';
import type { ChannelTransport } from './channel-transport';

export interface ReconcilerClientOptions {
  readonly transport: ChannelTransport;
  readonly clock: Clock;
  /** Each `ip:port`. */
  readonly addresses: () => Iterable<string>;
}

/**
 * So long a question is not asked again whose last answer was waited for in vain: of many writes one waits, not each. A
 * preview that takes long says nothing about a mark, so each question has a silence of its own.
 */
const silenceMs = 10_000;

/** More would wait for one another, and a write that has to wait for its answer is worse than one without. */
const maxUnderWay = 32;

/** The replicas of the reconciler, of which one knows. */
export class ReconcilerClient {
  readonly #options: ReconcilerClientOptions;
  #underWay = 0;
  readonly #silentUntilMs = new Map<ChannelPath, number>();

  constructor(options: ReconcilerClientOptions) {
    this.#options = options;
  }

  /** Whether a question would be sent now. Where it takes work to make one, a flood of reviews must not cost that work. */
  canQuery(path: ChannelPath): boolean {
    const silentUntilMs = this.#silentUntilMs.get(path) ?? 0;
    return this.#underWay < maxUnderWay && this.#options.clock.monotonicMs() >= silentUntilMs;
  }

  /**
   * Asks all of them at once, as only they know who leads. Resolves to the first answer of 200, parsed; to undefined when
   * nobody has given one within `timeoutMs`, and at once where many are asking already or nobody has answered lately.
   * Never rejects.
   */
  async query(path: ChannelPath, question: object, timeoutMs: number): Promise<unknown> {
    const { clock, transport, addresses } = this.#options;
    if (!this.canQuery(path)) return undefined;
    this.#underWay += 1;
    const body = Buffer.from(JSON.stringify(question));
    const deadline = new Deadline(clock);
    deadline.set(timeoutMs);
    const asked = [...addresses()].map(async (address) => {
      const answer = await deadline.race(transport.post(address, path, body, deadline.signal));
      if (answer.status !== 200 || !answer.body) throw new Error('another replica knows');
      return JSON.parse(answer.body.toString('utf8')) as unknown;
    });
    try {
      return await Promise.any(asked);
    } catch {
      // The webhook's other ways to the same replicas tell what is wrong with them.
      return undefined;
    } finally {
      this.#underWay -= 1;
      if (deadline.expired) this.#silentUntilMs.set(path, clock.monotonicMs() + silenceMs);
      // Of the slower ones nobody waits for an answer any more.
      deadline.abort();
      deadline.dispose();
    }
  }
}
