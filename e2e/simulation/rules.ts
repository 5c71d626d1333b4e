import { noFeatures, type Features } from './features';

/** What a world's install was told, and what else decides about what is owed. */
export interface Rules extends Features {
  /** No process was given a clock that is off. */
  readonly clocksAreRight: boolean;
  /** Connections were lost without a word: whose watch it was goes on without what changed, until its time is up. */
  readonly watchesFellSilent: boolean;
  /** How long after a write every process knows of it; infinity where connections break. */
  readonly shownWithinMs: number;
}

export const plainRules: Rules = {
  ...noFeatures,
  clocksAreRight: true,
  watchesFellSilent: false,
  shownWithinMs: Infinity,
};
