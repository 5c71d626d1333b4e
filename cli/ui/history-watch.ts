import type { Clock } from '../../shared/runtime/clock';
import { readHistory, type HistoryQuestion, type ReadHistory } from './read-history';
import type { Cluster } from '../cluster/cluster';
import { LeaderSilentError, type Silence } from '../cluster/silence';

/** A leader of an older version says 404 each time, and may be replaced by a newer one. */
const askAgainMs = 60_000;
const ofOtherVersion: readonly Silence[] = ['no-interface', 'other-version'];

/** Reads the newest restarts again and again, and rarely from a leader that does not remember any. */
export class HistoryWatch {
  readonly #cluster: Pick<Cluster, 'ask'>;
  readonly #clock: Clock;
  readonly #question: HistoryQuestion;
  #silentUntilMs = -Infinity;
  #last: ReadHistory | undefined;

  constructor(cluster: Pick<Cluster, 'ask'>, clock: Clock, question: HistoryQuestion) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#question = question;
  }

  /** Undefined: the leader does not remember restarts. @throws KubeError */
  async read(): Promise<ReadHistory | undefined> {
    if (this.#clock.monotonicMs() < this.#silentUntilMs) return undefined;
    const history = await readHistory(this.#cluster, this.#question);
    if (!(history instanceof LeaderSilentError)) this.#last = history;
    else if (ofOtherVersion.includes(history.silence)) {
      this.#silentUntilMs = this.#clock.monotonicMs() + askAgainMs;
      this.#last = undefined;
    }
    // A leader that is replaced just now, or a connection that breaks, takes nothing back.
    return this.#last;
  }
}
