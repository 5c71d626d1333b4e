import type { JsonObject } from '../apiserver/json';
import type { ObjectInput } from '../apiserver/objects';
import type { Place } from './place';

/** One behaviour of Reloader, tested in its own namespace, concurrently with the other specs of its group. */
export interface Spec {
  /** Begins with the section number of Reloader's behaviour. */
  readonly title: string;
  /** Labels of the namespace, instead of those of the group. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Objects that exist before the reconciler starts; the sources come first. */
  readonly objects: readonly ObjectInput[];
  /** What a user does while the reconciler runs. */
  readonly act: (place: Place) => Promise<void>;
  /** What a user does after that, while no reconciler runs: for groups with `isKilled`. */
  readonly whileDown?: (place: Place) => Promise<void>;
  /** How often each workload has been restarted in the end, by `Kind/name`. */
  readonly restarts: Readonly<Record<string, number>>;
  /** The workload has the annotation of a restart without one: it notes what was left to the next run. */
  readonly isNoted?: true;
  /** The workloads have no baseline before the act, although it restarts them. */
  readonly unrecorded?: true;
  /** Further checks in the end. */
  readonly judge?: (place: Place) => void | Promise<void>;
}

/** Specs of one process, which is started like Reloader's chart does: with its flags, and without a command. */
export interface Group {
  readonly name: string;
  readonly flags: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The flags define which namespaces count; otherwise a label selects the group's namespaces. */
  readonly ownNamespaces?: true;
  /** Labels that the flags select: those of the namespaces, and (`sourceLabels`) of the sentinel's sources. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly sourceLabels?: Readonly<Record<string, string>>;
  /** The annotations by which the sentinel opts in, if the flags rename them. */
  readonly sentinel?: Readonly<Record<string, string>>;
  /** Cluster-scoped objects that the specs need. */
  readonly setUp?: readonly JsonObject[];
  /** Starts the real controller of Argo Rollouts, which keeps running for later groups. */
  readonly runsRollouts?: true;
  /** Kills the reconciler after the acts and starts a new one. */
  readonly isKilled?: true;
  readonly specs: readonly Spec[];
}
