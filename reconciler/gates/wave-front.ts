import type { WorkloadKey } from '../../shared/domain/plan/tracked-workload';

/** A user of a source, and its place in the order. */
export interface WaveUser {
  readonly key: WorkloadKey;
  readonly wave: number;
}

/**
 * How far a change of one source has come through the waves of its users. Each user is passed once, when it is done, so
 * the work for a change does not depend on how often somebody asks.
 */
export class WaveFront {
  readonly #users: readonly WaveUser[];
  #passed = 0;

  /** `users`: all users of the source. */
  constructor(users: readonly WaveUser[]) {
    const last = users.reduce((wave, user) => Math.max(wave, user.wave), -Infinity);
    // Nobody waits for the last wave.
    this.#users = users.filter(({ wave }) => wave < last).toSorted((left, right) => left.wave - right.wave);
  }

  /** The first user, by waves, that is not done; undefined: nobody has to wait for another. */
  first(isDone: (user: WaveUser) => boolean): WaveUser | undefined {
    for (; this.#passed < this.#users.length; this.#passed++) {
      const user = this.#users[this.#passed];
      if (user && !isDone(user)) return user;
    }
    return undefined;
  }
}
