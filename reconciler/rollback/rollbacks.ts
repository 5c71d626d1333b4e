import { assertNever } from '../../shared/domain/errors';
import type { OnFailure } from '../../shared/domain/gate-settings/gate-settings';
import { candidates } from '../../shared/domain/plan/candidates';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { sourceKey, splitSourceKey, type SourceKey, type SourceRef } from '../../shared/domain/sources/source';
import { NotLeadingError } from '../apply/restart';
import type { StoppedSource } from '../gates/stopped-source';
import { failedAttempt, type QueueResult } from '../queue/key-queue';
import { isForPerson } from '../reporting/errors-for-people';
import type { RolledBack, RollbackReports } from '../reporting/rollback-reports';
import type { SourceIndex } from '../sources/source-index';
import { hasProved, type KeptContents } from './kept-contents';
import { NameTakenError } from './kept-store';
import type { PutBack, PutBacks } from './put-backs';
import { RollbackRefusedError } from './rollback-refused-error';
import { isKeptSource, type KeptSource } from './stored-source';

export interface RollbacksOptions {
  readonly sources: Pick<SourceIndex, 'get' | 'namesIn'>;
  readonly kept: KeptContents;
  readonly putBacks: PutBacks;
  readonly reports: RollbackReports;
  /** What the nearest setting says; `stop` where Reroll must not write. */
  readonly onFailure: (source: SourceRef) => OnFailure;
  /** Whether a workload that uses the source asks for restarts when it changes. */
  readonly asksFor: (workload: TrackedWorkload, source: SourceRef) => boolean;
  /** Who keeps the other users of a source from restarting; undefined: nobody does. */
  readonly stoppedBy: (source: SourceRef) => StoppedSource | undefined;
  /** Whether somebody holds the source, its namespace or everything: then nothing is written either. */
  readonly isHeld: (source: SourceRef) => boolean;
  /** Whether this process leads, and knows enough to act. */
  readonly mayAct: () => boolean;
  /** Looks at the source, after a delay. */
  readonly onWork: (source: string, delayMs: number) => void;
}

/** Its users change one after the other: they are looked at together. */
const gatherMs = 1_000;

/** Delay until another attempt at what a person must see to. */
const personMs = 10 * 60_000;

const done: QueueResult = { kind: 'done' };

/** Nobody tells when a hold ends. A look asks the API server nothing as long as it lasts. */
const held: QueueResult = { kind: 'again', afterMs: 60_000 };

/**
 * Looks at one source at a time whose annotations, or those of its namespace, ask for it: keeps its content once it has
 * proved itself, and puts the kept one back when a change of it has stopped.
 */
export class Rollbacks {
  readonly #options: RollbacksOptions;
  /** Why the last attempt to put a content back was made that failed: it may have been stored nevertheless. */
  readonly #failed = new Map<SourceKey, Omit<RolledBack, 'source' | keyof PutBack>>();

  constructor(options: RollbacksOptions) {
    this.#options = options;
  }

  /** The index shows the workload, or showed it like that before it was gone or left some of its sources. */
  saw(workload: TrackedWorkload): void {
    const { sources, kept, onFailure, asksFor, mayAct, onWork } = this.#options;
    if (!mayAct()) return;
    for (const source of candidates({ workload, sources })) {
      if (onFailure(source) === 'stop') continue;
      if (!hasProved(workload) && asksFor(workload, source)) kept.interrupt(sourceKey(source));
      onWork(sourceKey(source), gatherMs);
    }
  }

  /** The source is another one, or its restarts have stopped. */
  changed(source: SourceRef): void {
    const { kept, putBacks, reports, sources, onFailure, mayAct, onWork } = this.#options;
    const key = sourceKey(source);
    if (!sources.get(source)) {
      kept.forget(key);
      putBacks.forget(key);
      reports.forget(key);
      this.#failed.delete(key);
    } else if (mayAct() && onFailure(source) !== 'stop') onWork(key, 0);
  }

  /** The term is over: another leader may do something else from now on. */
  clear(): void {
    this.#options.kept.clear();
    this.#options.putBacks.clear();
    this.#options.reports.clear();
    this.#failed.clear();
  }

  /** After a restore of etcd, a content that was kept may be kept no longer. */
  restored(): void {
    this.#options.kept.clear();
  }

  /** Never rejects: a failure is part of the result. */
  async process(key: string): Promise<QueueResult> {
    const { sources, onFailure, stoppedBy, mayAct } = this.#options;
    const ref = splitSourceKey(key);
    const source = sources.get(ref);
    const mode = onFailure(ref);
    if (!mayAct() || mode === 'stop' || !isKeptSource(source)) return done;
    this.#reportUnanswered(source);
    const stop = stoppedBy(ref);
    if (!stop) return await this.#keep(source);
    switch (mode) {
      case 'keep':
        return done;
      case 'rollback':
        return await this.#putBack(source, stop);
      default:
        return assertNever(mode, 'mode');
    }
  }

  async #keep(source: KeptSource): Promise<QueueResult> {
    try {
      return await this.#options.kept.keep(source);
    } catch (error) {
      if (error instanceof NotLeadingError) return done;
      this.#options.reports.notKept(source, error);
      return afterFailure(error);
    }
  }

  /** A content was put back after all, by a patch that got no answer. */
  #reportUnanswered(source: KeptSource): void {
    const { putBacks, reports } = this.#options;
    const key = sourceKey(source);
    const failed = this.#failed.get(key);
    if (!failed || source.gates?.rolledBack?.includes(failed.change) !== true) return;
    this.#failed.delete(key);
    const putBack = putBacks.takeUnanswered(key);
    if (putBack) reports.rolledBack({ source, ...failed, ...putBack });
  }

  async #putBack(source: KeptSource, { change, failed, detail }: StoppedSource): Promise<QueueResult> {
    const { putBacks, reports, stoppedBy, isHeld, mayAct } = this.#options;
    // No workload failed: the restarts are stopped because this content was put back before. Reroll does not put it back twice.
    if (change === undefined || !failed) return done;
    if (isHeld(source)) return held;
    // After a restore of etcd nobody knows what is owed until all is listed, so what is kept may be too old.
    const isStopped = (): boolean => mayAct() && stoppedBy(source)?.change === change && !isHeld(source);
    const bad = { source, change, isStopped };
    try {
      const putBack = await putBacks.putBack(bad);
      if (!putBack && isHeld(source)) return held;
      if (putBack) this.#failed.delete(sourceKey(source));
      if (putBack) reports.rolledBack({ source, change, failed: failed.record, detail, ...putBack });
      return done;
    } catch (error) {
      if (error instanceof NotLeadingError) return done;
      this.#failed.set(sourceKey(source), { change, failed: failed.record, detail });
      reports.notRolledBack({ source, change, detail, error });
      return afterFailure(error);
    }
  }
}

function afterFailure(error: unknown): QueueResult {
  const isSettled = error instanceof RollbackRefusedError || error instanceof NameTakenError || isForPerson(error);
  return isSettled ? { kind: 'again', afterMs: personMs } : failedAttempt(error);
}
