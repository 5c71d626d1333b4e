import type { ObjectInput } from '../apiserver/objects';
import type { Place } from './place';

/** One behaviour of Reloader, tried in a namespace of its own, at the same time as the others of its group. */
export interface Spec {
  /** Begins with the section of Reloader's behaviour. */
  readonly title: string;
  /** Labels of the namespace. */
  readonly labels?: Readonly<Record<string, string>>;
  /** What is there before the reconciler starts; the sources first. */
  readonly objects: readonly ObjectInput[];
  /** What a user does while the reconciler runs. */
  readonly act: (place: Place) => Promise<void>;
  /** How often each workload has been restarted in the end, by `Kind/name`. */
  readonly restarts: Readonly<Record<string, number>>;
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
  readonly specs: readonly Spec[];
}
