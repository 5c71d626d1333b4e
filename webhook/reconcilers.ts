import type { ChannelPath } from '../shared/domain/channel-names';
import { Deadline } from '../shared/kube/deadline';
import type { Clock } from '../shared/runtime/clock';
import type { ChannelTransport } from './channel-transport';

export interface ReconcilersOptions {
  readonly transport: ChannelTransport;
  readonly clock: Clock;
  /** Each `ip:port`. */
  readonly addresses: () => Iterable<string>;
}

/** The replicas of the reconciler, of which one knows. */
export class Reconcilers {
  readonly #options: ReconcilersOptions;

  constructor(options: ReconcilersOptions) {
    this.#options = options;
  }

  /**
   * Asks all of them at once, as only they know who leads. Resolves to the first answer of 200, parsed; to undefined when
   * nobody has given one within `timeoutMs`. Never rejects.
   */
  async ask(path: ChannelPath, question: object, timeoutMs: number): Promise<unknown> {
    const { clock, transport, addresses } = this.#options;
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
      // Of the slower ones nobody waits for an answer any more.
      deadline.abort();
      deadline.dispose();
    }
  }
}
