import type { Receipt } from '../hints/change-record-intake';
import type { Inspections } from '../inspection/inspections';
import type { Questions } from '../questions/questions';
import type { WatchStatus } from '../watch/watches';
import type { Election } from './election';

/** What runs once there is a digest key. One engine restarts workloads, the other calls a receiver for each change. */
export interface ReconcilerEngine {
  readonly state: 'syncing' | 'standby' | 'acting';
  readonly election: Pick<Election, 'problem' | 'remark' | 'leader'>;
  /** Whether the digest key outlives this process, and every replica has it. */
  readonly keyIsShared: boolean;
  /** Answers the questions of the webhook; undefined if this engine restarts nothing. */
  readonly questions: Questions | undefined;
  /** Answers people; undefined if this engine restarts nothing. */
  readonly inspections: Inspections | undefined;
  watchStatuses(): readonly WatchStatus[];
  /** Takes change records of the webhook. */
  accept(records: readonly unknown[]): Receipt;
  /** Switches to the digest key that every replica shares; false: it is too early for that. */
  useSharedKey(key: Buffer): boolean;
  start(): void;
  /** Stops writing, releases the Lease, and resolves when nothing is in progress any more. */
  stop(): Promise<void>;
}
