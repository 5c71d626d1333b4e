import { noFeatures, type Features } from './features';

/** The settings of a world's install, and what else decides which restarts are owed. */
export interface Rules extends Features {
  /** No process has a clock that is off. */
  readonly clocksAreRight: boolean;
  /** Some watches may go silent without an error. Their processes miss changes until the watch times out. */
  readonly watchesFellSilent: boolean;
  /** The server sends no end of a streamed list, so first lists take until a client gives up waiting for it. */
  readonly firstListsAreLate: boolean;
  /** The server may answer that it no longer has a past version. */
  readonly refusesPast: boolean;
  /** When requests for namespaces may fail, since the start of the world. */
  readonly namespacesHidden: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** How long after a write every process knows of it; infinity if connections break. */
  readonly shownWithinMs: number;
  /** How far behind what is stored a process may be that has led for long. */
  readonly knownWithinMs: number;
  /** When it may be forbidden to list namespaces, or the hold of everything, since the start of the world. */
  readonly gatesHidden: readonly { readonly fromMs: number; readonly toMs: number }[];
}

export const plainRules: Rules = {
  ...noFeatures,
  clocksAreRight: true,
  watchesFellSilent: false,
  firstListsAreLate: false,
  refusesPast: false,
  namespacesHidden: [],
  shownWithinMs: Infinity,
  knownWithinMs: Infinity,
  gatesHidden: [],
};
