import { errorMessage } from '../../shared/domain/errors';
import type { ObjectKey } from '../../shared/domain/kubernetes/object-key';
import type { KubeClient } from '../../shared/kube/client/client';
import { isRbacForbidden, PermissionProbe } from '../../shared/kube/client/permission-probe';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import { retryUntilDone } from '../../shared/runtime/retry-until-done';
import type { Random } from '../../shared/runtime/random';
import { NotLeadingError } from '../apply/restart';
import { failedAttempt, type QueueResult } from '../queue/key-queue';
import type { JobJournal, JobName } from '../apply/job-journal';
import { entryName } from '../apply/journal-entry';
import type { Reporter } from '../reporting/reporter';

export interface JobWorkerOptions {
  readonly journal: JobJournal;
  readonly reporter: Pick<Reporter, 'jobRecreated' | 'jobNotCreated'>;
  readonly logger: Logger;
  /** An entry ended without Reroll creating its Job; `job`: the one that it was for, if it was known. */
  readonly onSuperseded: (entry: string, job: ObjectKey | undefined) => void;
  /** Whether others may still wait for the Job that was created for an entry to be shown. */
  readonly isAwaited: (entry: string, job: JobName) => boolean;
  /** Nobody will show the Job that was created for an entry. */
  readonly onNeverShown: (entry: string) => void;
}

export interface RecoveryDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
}

/** Deleting a Job takes a moment. Polling more often does not speed it up. */
const deletionPollMs = 250;

/** A finalizer may keep a Job for as long as its author likes, and each look reads it and its entry. */
const maxDeletionPollMs = 30_000;

/** A watch shows a Job within moments. One that is not shown for this long may be gone before any list shows it. */
const unseenMs = 30_000;

const recoveryBackoff = { baseMs: 500, maxMs: 30_000 };

/** Executes the journal's entries step by step until none is left. */
export class JobWorker {
  readonly #options: JobWorkerOptions;
  /** Entries whose Job is deleted and could not be created yet. */
  readonly #notCreated = new Set<string>();
  /** How long the last pause was of the entries whose Jobs are being deleted. */
  readonly #pausedMs = new Map<string, number>();
  /** The Jobs that were created and have yet to be shown, by entry. */
  readonly #unseen = new Map<string, JobName>();

  constructor(options: JobWorkerOptions) {
    this.#options = options;
  }

  /** How many Jobs are missing because they cannot be created again yet. */
  get notCreated(): number {
    return this.#notCreated.size;
  }

  /** The entry that waits until the Job with this uid is deleted; undefined: none does. */
  waitingFor(uid: string): string | undefined {
    if (this.#pausedMs.size === 0) return undefined;
    const entry = entryName(uid);
    return this.#pausedMs.has(entry) ? entry : undefined;
  }

  /** Never rejects. `name` is that of the journal entry. */
  async process(name: string): Promise<QueueResult> {
    const { journal, reporter, logger } = this.#options;
    try {
      // A restore of etcd may bring back an entry that has ended.
      if (journal.isOpen(name)) this.#unseen.delete(name);
      const unseen = this.#unseen.get(name);
      if (unseen) return await this.#lookFor(name, unseen);
      const job = journal.jobOf(name);
      const step = await journal.advance(name);
      if (step.kind !== 'waiting') this.#pausedMs.delete(name);
      if (step.kind === 'not-created') {
        this.#notCreated.add(name);
        reporter.jobNotCreated(step.entry, step.error);
        return failedAttempt(step.error);
      }
      this.#notCreated.delete(name);
      if (step.kind === 'waiting') return { kind: 'again', afterMs: this.#pauseMs(name) };
      if (step.kind === 'created') {
        reporter.jobRecreated(step.entry, step.job);
        return this.#await(name, step.entry.successor.metadata);
      }
      // The Job is somebody else's, or there is none. If a restart is still owed, a new plan finds out.
      this.#options.onSuperseded(name, job);
      return { kind: 'done' };
    } catch (error) {
      // The entry is kept. The next leader finds it.
      if (error instanceof NotLeadingError) {
        this.#notCreated.delete(name);
        this.#pausedMs.delete(name);
        return { kind: 'done' };
      }
      logger.warn('cannot recreate a Job yet; trying again', {
        entry: name,
        error: errorMessage(error),
      });
      return failedAttempt(error);
    }
  }

  #pauseMs(entry: string): number {
    const pausedMs = Math.min(maxDeletionPollMs, (this.#pausedMs.get(entry) ?? deletionPollMs / 2) * 2);
    this.#pausedMs.set(entry, pausedMs);
    return pausedMs;
  }

  #await(entry: string, { namespace, name }: JobName): QueueResult {
    if (!this.#options.isAwaited(entry, { namespace, name })) return { kind: 'done' };
    this.#unseen.set(entry, { namespace, name });
    return { kind: 'again', afterMs: unseenMs };
  }

  /** Somebody may have deleted the Job before a watch that hung, or the list after it, could show it. */
  async #lookFor(entry: string, job: JobName): Promise<QueueResult> {
    const { journal, isAwaited, onNeverShown } = this.#options;
    // Whether it is stored may not be known, and is asked again.
    const mayCome = isAwaited(entry, job) && (await journal.isStored(job).catch(() => true));
    if (mayCome) return { kind: 'again', afterMs: unseenMs };
    this.#unseen.delete(entry);
    onNeverShown(entry);
    return { kind: 'done' };
  }

  /** Finds what an earlier leader left behind. Retries until it succeeds or `signal` aborts. */
  async recover({ client, clock, random }: RecoveryDeps, signal: AbortSignal): Promise<void> {
    const { journal, logger } = this.#options;
    const permissions = new PermissionProbe({ client, clock });
    const look = async (): Promise<void> => {
      try {
        await journal.recover();
      } catch (error) {
        if (!(await permissions.isRightMissing(error))) throw error;
        // The search that follows this one may be under way.
        if (signal.aborted) return;
        logger.warn(
          'missing permission to look for Jobs that were being recreated when another process ended: none of them is created',
          {
            error: errorMessage(error),
          },
        );
        journal.recoverOwn();
      }
    };
    await retryUntilDone(look, {
      ...{ clock, random, backoff: recoveryBackoff, signal },
      onFailure: (error, attempt) => {
        // A missing permission is reported once.
        const level = isRbacForbidden(error) && attempt > 0 ? 'debug' : 'warn';
        logger[level]('cannot look for Jobs that were being recreated; trying again', {
          error: errorMessage(error),
        });
      },
    });
  }
}
