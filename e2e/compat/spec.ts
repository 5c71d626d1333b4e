import type { JsonObject } from '../apiserver/json';
import type { ObjectInput } from '../apiserver/objects';
import type { Place } from './place';

/** One behaviour of Reloader, tried in a namespace of its own, at the same time as the others of its group. */
export interface Spec {
  /** Begins with the section of Reloader's behaviour. */
  readonly title: string;
  /** Labels of the namespace, instead of those of the group. */
  readonly labels?: Readonly<Record<string, string>>;
  /** What is there before the reconciler starts; the sources first. */
  readonly objects: readonly ObjectInput[];
  /** What a user does while the reconciler runs. */
  readonly act: (place: Place) => Promise<void>;
  /** What a user does after that, while no reconciler runs: for groups whose reconciler is killed and started again. */
  readonly whileDown?: (place: Place) => Promise<void>;
  /** How often each workload has been restarted in the end, by `Kind/name`. */
  readonly restarts: Readonly<Record<string, number>>;
  /** It is noted on the workload what was left to its next run, as if that were a restart. */
  readonly isNoted?: true;
  /** Workloads that hold no baseline before the act though they are restarted by it. */
  readonly unrecorded?: true;
  /** What else is true in the end. */
  readonly judge?: (place: Place) => void | Promise<void>;
}

/** Specs of one process, which is started as Reloader's chart would: its flags, and nothing else. */
export interface Group {
  readonly name: string;
  readonly flags: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The flags say themselves which namespaces count; otherwise those of the group are selected by a label. */
  readonly ownNamespaces?: true;
  /** Labels of the namespaces, and of the sources of the sentinel: what the flags select. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly sourceLabels?: Readonly<Record<string, string>>;
  /** By what the sentinel opts in, where the flags give annotations other names. */
  readonly sentinel?: Readonly<Record<string, string>>;
  /** Objects of the whole cluster that its specs need. */
  readonly setUp?: readonly JsonObject[];
  /** With the real controller of Argo Rollouts, which goes on running for the groups after it. */
  readonly runsRollouts?: true;
  /** Kills the reconciler after the acts, and starts it again. */
  readonly isKilled?: true;
  readonly specs: readonly Spec[];
}
