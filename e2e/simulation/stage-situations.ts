import type { LogLine } from '../../shared/runtime/log/recording-logger';

/** Situations that the worlds of a batch must reach in which a change reaches one user first. */
export const stageSituations = [
  'a restart waited for one that restarts first',
  'a restart waited until the first was healthy for a time',
  'restarts of a source stopped',
] as const;
export type StageSituation = (typeof stageSituations)[number];

const toldInLogs: readonly (readonly [RegExp, StageSituation])[] = [
  [/has many users: \w+ \w+( and \d+ more)? first/, 'a restart waited for one that restarts first'],
  [/has many users: first, .* must be healthy/, 'a restart waited until the first was healthy for a time'],
  [/restarts stopped: /, 'restarts of a source stopped'],
];

/** Notes which of these situations a world reaches. */
export class StageSituations {
  readonly #reached = new Set<StageSituation>();

  get reached(): ReadonlySet<StageSituation> {
    return this.#reached;
  }

  logged(lines: readonly LogLine[]): void {
    for (const { message } of lines) {
      for (const [words, situation] of toldInLogs) if (words.test(message)) this.#reached.add(situation);
    }
  }
}
