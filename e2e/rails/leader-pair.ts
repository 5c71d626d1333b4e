import type { RerollProcess } from '../reroll-process';
import type { FaultyServer } from '../webhook/faulty-server';
import type { RerollCluster } from '../webhook/reroll-cluster';

/** A Lease ends after 15 s. */
const takeoverMs = 60_000;

const startedLeading = ({ message }: { readonly message: string }): boolean => message === 'started leading';

/** Two reconcilers: one leads, and the other one takes over when it is killed. */
export class LeaderPair {
  readonly #start: (replica: number) => Promise<RerollProcess>;
  #leader: RerollProcess;
  #standby: RerollProcess;
  /** The replica of the leader. */
  #replica = 0;

  /** Resolves once one leads. `via` stands between both of them and the API server. */
  static async start(cluster: RerollCluster, flags: readonly string[], via?: FaultyServer): Promise<LeaderPair> {
    const start = async (replica: number): Promise<RerollProcess> => await cluster.reconciler(replica, flags, via);
    const leader = await start(0);
    await leader.line(startedLeading);
    return new LeaderPair(start, leader, await start(1));
  }

  private constructor(
    start: (replica: number) => Promise<RerollProcess>,
    leader: RerollProcess,
    standby: RerollProcess,
  ) {
    [this.#start, this.#leader, this.#standby] = [start, leader, standby];
  }

  get leader(): RerollProcess {
    return this.#leader;
  }

  /** Resolves once the leader is dead. Nobody leads then, until its Lease has ended. */
  async kill(): Promise<void> {
    await this.#leader.end('SIGKILL');
  }

  /** Resolves once the other one leads, and a new one waits for its end. */
  async takenOver(): Promise<void> {
    await this.#standby.line(startedLeading, takeoverMs);
    const standby = await this.#start(this.#replica);
    [this.#leader, this.#standby, this.#replica] = [this.#standby, standby, 1 - this.#replica];
  }
}
