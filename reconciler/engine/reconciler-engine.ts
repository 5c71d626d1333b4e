import type { Receipt } from '../hints/change-record-intake';
import type { Questions } from '../questions/questions';
import type { WatchStatus } from '../watch/watches';
import type { Election } from './election';

/** What a reconciler runs once it has a digest key: the one restarts workloads, the other calls a receiver for each change. */
export interface ReconcilerEngine {
  readonly state: 'syncing' | 'standby' | 'acting';
  readonly election: Pick<Election, 'problem' | 'remark'>;
  /** The digest key outlives this process, and every replica has it. */
  readonly keyIsShared: boolean;
  /** What the webhook may ask; undefined where nothing is restarted. */
  readonly questions: Questions | undefined;
  watchStatuses(): readonly WatchStatus[];
  /** Takes change records of the webhook. */
  accept(records: readonly unknown[]): Receipt;
  /** Goes over to the digest key that every replica shares; false: it is too early for that. */
  useSharedKey(key: Buffer): boolean;
  start(): void;
  /** Stops writing, gives the lease back, and resolves when nothing is under way any more. */
  stop(): Promise<void>;
}
