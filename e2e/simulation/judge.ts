import type { WriteRecord } from '../apiserver/store';
import { Case } from './case';
import type { Delivery } from './channel';
import { checkOfAltered, isOfAltered } from './judge-altered';
import { checkAuthors } from './judge-authors';
import { checkCalm } from './judge-calm';
import { checkDeferred } from './judge-deferred';
import { checkFold } from './judge-folds';
import { checkGates } from './judge-gates';
import { checkEngineWrites, checkRestartCount } from './judge-engine-writes';
import { checkLeak } from './judge-leaks';
import type { Darkness } from './hybrid-world';
import { checkLate } from './judge-late';
import { checkLease } from './judge-lease';
import { checkGiven } from './judge-marks';
import { checkMissed } from './judge-missed';
import { checkRecorded, checkUnfinished } from './judge-recorded';
import { checkRuns } from './judge-runs';
import { IntruderJudge } from './judge-intruder';
import { checkPace } from './judge-pace';
import { checkHeld, checkPause } from './judge-pauses';
import { checkLeftOut } from './judge-left-out';
import { KnownAuthors } from './judge-known-authors';
import { RestartIds } from './judge-restart-ids';
import { checkNeverRun, checkNotRun, checkStrategy } from './judge-settings';
import { checkRollback, checkRolledBack, isOfRollback } from './judge-rollbacks';
import { checkStages } from './judge-stages';
import { checkWaits } from './judge-waits';
import { isRolled } from './lives';
import { isUnaware as mayNotKnow } from './restored';
import { plainRules, type Rules } from './rules';

/** A broken promise of the design, and a sentence that says how. */
export interface Violation {
  readonly promise:
    | 'missed change'
    | 'restart without reason'
    | 'more restarts than changes'
    | 'baseline apart from template'
    | 'foreign write'
    | 'leak'
    | 'two writers'
    | 'unbounded'
    | 'not exactly once'
    | 'wrong author'
    | 'author left out'
    | 'restart id of another'
    | 'record without change'
    | 'too late'
    | 'wrong pause'
    | 'restart in spite of a gate'
    | 'too many at once'
    | 'past a stop'
    | 'rolled back twice'
    | 'out of order'
    | 'left out'
    | 'left lying'
    | 'fell over';
  readonly sentence: string;
}

/** Judges a world while it runs, write by write, and once more when it is over. Reads what the API server stored. */
export class Judge {
  #case: Case;
  readonly #intruder = new IntruderJudge();
  readonly #ids = new RestartIds();
  readonly #authors = new KnownAuthors();
  readonly #violations: Violation[] = [];

  constructor(rules: Rules = plainRules) {
    this.#case = new Case([], rules);
  }

  /** What must never happen, reported as soon as it does. */
  get violations(): readonly Violation[] {
    return this.#violations;
  }

  /** A record of the webhook has reached a reconciler. */
  delivered(delivery: Delivery): void {
    this.#authors.delivered(delivery);
  }

  /** `isAltered` says that others altered the write on its way. */
  wrote(record: WriteRecord, isAltered = false): void {
    this.#violations.push(...this.#intruder.wrote(record), ...this.#ids.wrote(record, isAltered));
    this.#violations.push(...(isOfRollback(record) ? checkRollback(this.#case, record) : checkLeak(record)));
    const isUnaware = mayNotKnow(this.#case, record);
    if (!isUnaware) this.#violations.push(...checkLease(this.#case, record), ...checkAuthors(this.#case, record));
    const life = this.#case.add(record);
    if (isAltered) this.#case.altered.add(record);
    if (!life || isUnaware) return;
    if (isOfAltered(this.#case, life)) {
      this.#violations.push(...checkOfAltered(life));
      return;
    }
    // Earlier writes of this life have been checked already.
    const found = isRolled(life)
      ? [
          ...checkEngineWrites(this.#case, life),
          ...checkFold(this.#case, life),
          ...checkGiven(this.#case, life),
          ...checkRestartCount(this.#case, life),
          ...checkStrategy(life),
        ]
      : [...checkRuns(this.#case, life), ...checkNotRun(this.#case, life), ...checkNeverRun(life)];
    this.#violations.push(...found, ...this.#authors.check(this.#case, life));
    this.#violations.push(...checkPause(this.#case, life), ...checkLeftOut(this.#case, life));
    this.#violations.push(...checkGates(this.#case, life), ...checkPace(this.#case, life));
    this.#violations.push(...checkStages(this.#case, life), ...checkRolledBack(this.#case, life));
  }

  /** Others altered a write to this workload on its way. Perhaps nothing of it was stored. */
  takenOut(workload: string): void {
    this.#case.alteredWorkloads.add(workload);
  }

  /** Others refused a write to this workload. */
  refused(workload: string, atMs: number): void {
    this.#case.refusals.push({ workload, atMs });
  }

  /** The server compacts its history up to `revision`. */
  compacted(revision: number): void {
    this.#case.compactions.push(revision);
  }

  /** etcd was restored: everything is as it was at `revision`, and later writes count as never made. */
  restored(revision: number, atMs: number): void {
    const { history, rules } = this.#case;
    const lost = history.filter((record) => record.revision > revision);
    this.#case = new Case(
      history.filter((record) => record.revision <= revision),
      rules,
      { atMs, lost },
    );
  }

  /** What is still owed: empty once everything owed is done. */
  get owed(): readonly Violation[] {
    return [
      ...checkMissed(this.#case),
      ...checkRecorded(this.#case),
      ...checkUnfinished(this.#case),
      ...checkHeld(this.#case),
    ];
  }

  /**
   * `calm` says that there were only edits of sources, far apart. Then the exact number of restarts is judged. If the
   * watches of sources are cut, it is judged instead whether each restart comes in time.
   */
  verdict(calm: boolean, dark?: Darkness): readonly Violation[] {
    if (this.#violations.length > 0) return this.#violations;
    if (!calm) {
      const inTime = this.#case.rules.crowd?.isWell === true ? checkWaits(this.#case) : [];
      return [...this.owed, ...checkDeferred(this.#case), ...inTime];
    }
    return [...this.owed, ...(dark ? checkLate(this.#case, dark) : checkCalm(this.#case))];
  }
}

/** Judges a complete history. */
export function judge(history: readonly WriteRecord[], calm: boolean, rules?: Rules): readonly Violation[] {
  const judging = new Judge(rules);
  for (const record of history) {
    judging.wrote(record);
    if (judging.violations.length > 0) break;
  }
  return judging.verdict(calm);
}
