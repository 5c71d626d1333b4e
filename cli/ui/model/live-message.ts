/** What the process of `reroll ui` and its page say to each other: JSON, one message a line. */

/** A workload that some source may restart, as in the answer of the leader. */
export interface WorkloadRow {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly state: string;
  readonly waitsFor?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly errorCode?: string | undefined;
  readonly lastRestartAt?: string | undefined;
}

/** A change that a restart answers. */
export interface HistoryCause {
  readonly kind: string;
  readonly name: string;
  /** Only if it is another than the workload's. */
  readonly namespace?: string | undefined;
  readonly change?: string | undefined;
  readonly why: string;
  readonly keys?: readonly string[] | undefined;
  readonly author?: string | undefined;
  readonly manager?: string | undefined;
  readonly changedAt?: string | undefined;
}

/** A restart, as the leader remembers it. */
export interface HistoryEntry {
  readonly at: string;
  readonly id: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Undefined if only the workload told of the restart. */
  readonly strategy?: string | undefined;
  readonly causes: readonly HistoryCause[];
  /** The number of further causes. */
  readonly moreCauses?: number | undefined;
  readonly outcome: string;
  readonly outcomeAt?: string | undefined;
  readonly reason?: string | undefined;
}

/** Who tells what the page shows, and what is missing from it. */
export interface Standing {
  /** `asking`: no answer yet. `objects`: the leader is silent. `lost`: nobody answers, and what is shown is old. */
  readonly from: 'asking' | 'leader' | 'objects' | 'lost';
  /** The pod that leads, if it answers. */
  readonly leader?: string | undefined;
  /** What is wrong, as a sentence without a full stop. */
  readonly problem?: string | undefined;
  /** What to do about it. */
  readonly fix?: string | undefined;
  /** That everything is held, and why; a phrase. */
  readonly held?: string | undefined;
  /** What may not be read. */
  readonly missing: readonly string[];
  /** Whether the leader remembers restarts: older versions do not. */
  readonly hasHistory: boolean;
  /** Since when it remembers all of them. */
  readonly historySince?: string | undefined;
}

/** What has changed in a collection. */
export interface ItemChanges<Item> {
  /** These are all items, and no others are left. */
  readonly isWhole: boolean;
  readonly changed: readonly Item[];
  /** The keys of items that are gone. */
  readonly removed: readonly string[];
}

/** A line of `/api/live`. One that changes nothing shows that the process is alive. */
export interface LiveMessage {
  readonly standing: Standing;
  /** The one namespace that is shown; undefined: all. */
  readonly namespace?: string | undefined;
  readonly rows?: ItemChanges<WorkloadRow> | undefined;
  readonly history?: ItemChanges<HistoryEntry> | undefined;
}

/** An object that a deep link names. */
export interface ObjectName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** @example 'Deployment/shop/web' */
export function keyOf({ kind, namespace, name }: ObjectName): string {
  return `${kind}/${namespace}/${name}`;
}

export function historyKeyOf(entry: HistoryEntry): string {
  return `${keyOf(entry)}/${entry.at}/${entry.id}`;
}
