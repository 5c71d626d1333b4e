import type { LogLine } from '../../shared/runtime/log/recording-logger';

/** Notes which situations a world reaches that the log tells of. */
export class LoggedSituations<Situation extends string> {
  readonly #told: readonly (readonly [RegExp, Situation])[];
  readonly #reached = new Set<Situation>();

  constructor(told: readonly (readonly [RegExp, Situation])[]) {
    this.#told = told;
  }

  get reached(): ReadonlySet<Situation> {
    return this.#reached;
  }

  logged(lines: readonly LogLine[]): void {
    for (const { message } of lines) {
      for (const [words, situation] of this.#told) if (words.test(message)) this.#reached.add(situation);
    }
  }
}
