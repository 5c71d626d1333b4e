import { sourceId, sourceKinds, type LocalSourceRef } from '../../shared/domain/sources/source';
import type { LeaderSilentError } from '../cluster/silence';
import type { SourceAccount, TrackedAccount, WorkloadAccount } from '../evidence/account';
import type { Install } from '../evidence/install';
import type { Place } from '../evidence/place';
import type { SeenEvent } from '../evidence/seen-events';
import type { SeenSources, SourceFacts } from '../evidence/seen-sources';
import type { WorkloadFacts } from '../evidence/workload-evidence';

/** Everything that is known to answer why a workload did or did not restart. */
export interface Case {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly account: WorkloadAccount;
  /** Undefined: the leader gave the account. Otherwise why it did not, and the account is that of the objects. */
  readonly silence: LeaderSilentError | undefined;
  /** Undefined: the object may not be read, or there is none. */
  readonly facts: WorkloadFacts | undefined;
  /** The API server says that there is no such object. */
  readonly isAbsent: boolean;
  /** When the oldest of its pods was created, if that may be read. */
  readonly oldestPodMs: number | undefined;
  readonly install: Install;
  readonly place: Place;
  readonly events: readonly SeenEvent[];
  readonly sources: SeenSources;
  /** The source that is asked about; undefined: what happened last. */
  readonly about: LocalSourceRef | undefined;
  /** What the leader was refused since its start, as it says. */
  readonly missingPermissions: readonly string[];
  readonly nowMs: number;
}

/** A case of a workload that something may restart. */
export interface TrackedCase extends Case {
  readonly account: TrackedAccount;
}

/** The first line of an answer. */
export interface Headline {
  readonly text: string;
  /** Somebody must do something, or the object does not exist. */
  readonly isBad: boolean;
}

/** Finds a cause; undefined: it is not this one. */
export type Cause<About extends Case = TrackedCase> = (about: About) => Headline | undefined;

export function headline(text: string): Headline {
  return { text, isBad: false };
}

export function bad(text: string): Headline {
  return { text, isBad: true };
}

/** A source as in a baseline. A newer leader may know kinds that this version does not. */
export function idOf({ kind, name }: Pick<SourceAccount, 'kind' | 'name'>): string {
  const known = sourceKinds.find((each) => each === kind);
  return known ? sourceId({ kind: known, name }) : `${kind}/${name}`;
}

/** The metadata of a source, if it may be read. */
export function factsOf({ sources }: Pick<Case, 'sources'>, source: SourceAccount): SourceFacts | undefined {
  const seen = sources.get(idOf(source));
  return seen?.is === 'there' ? seen.value : undefined;
}

/** @example 'ConfigMap app' */
export function titleOf({ kind, name }: Pick<SourceAccount, 'kind' | 'name'>): string {
  return `${kind} ${name}`;
}
