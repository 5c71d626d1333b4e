import {
  mostJudged,
  rolloutStage,
  usersOfStage,
  type RestartedUser,
  type RolloutStage,
} from '../../shared/domain/gates/source-rollout';
import type { StageSettings } from '../../shared/domain/gate-settings/stage-settings';
import type { WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { SourceRef } from '../../shared/domain/sources/source';
import type { Clock } from '../../shared/runtime/clock';

/** A user that has restarted, and since when it is healthy by the monotonic clock. */
export type RestartedSince = Omit<RestartedUser, 'healthySinceMs'> & {
  readonly healthySinceMonotonicMs: number | undefined;
  /** It is rolled out, and has health checks of its own. */
  readonly isChecked: boolean;
  /** Its health tells of the content: it has pods that have read it. */
  readonly mayProve: boolean;
};

/** `owes`: a restart for the current content; undefined: it needs none, and shows nothing about the content. */
export type UserStanding = 'owes' | RestartedSince | undefined;

export interface StagedSourceOptions {
  readonly source: SourceRef;
  /** It stays the same as long as nothing about the content, the users and their settings changes. */
  readonly basis: string;
  /** The content that it is about. */
  readonly changeId: string | undefined;
  /** An earlier content was put back for this one. */
  readonly isRolledBack: boolean;
  /** Whether those after whom nobody restarts are judged as well. */
  readonly judgesLast: boolean;
  /** Those that restart in stages, in their order. */
  readonly users: readonly WorkloadKey[];
  readonly settings: StageSettings;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  /** How a user stands now. */
  readonly standing: (key: WorkloadKey) => UserStanding;
  /** Whether a user that has not asked yet could restart now, as far as everything else is concerned. */
  readonly mayBegin: (key: WorkloadKey) => boolean;
  /** Whether it has been chosen for so long, and has not restarted, that others go before it. */
  readonly isStuck: (key: WorkloadKey) => boolean;
}

/**
 * How far one content of one source has come among its users. Each is looked at once, and again when something about it
 * changes, so the work for a change does not grow with the square of their number.
 */
export class StagedSource {
  readonly source: SourceRef;
  readonly changeId: string | undefined;
  readonly #options: StagedSourceOptions;
  readonly #users: ReadonlySet<WorkloadKey>;
  readonly #owing = new Set<WorkloadKey>();
  /** Those that restarted for this content. */
  readonly #forIt = new Map<WorkloadKey, RestartedSince>();
  /** Those that have it since they restarted for something else. */
  readonly #forOthers = new Map<WorkloadKey, RestartedSince>();
  /** Those of {@link #forIt} that have proved the content. What becomes of them later is not its fault. */
  readonly #proved = new Set<WorkloadKey>();
  /** To be looked at again. */
  readonly #touched: Set<WorkloadKey>;
  /** Those that may go before the others, until they have restarted. */
  readonly #chosen = new Set<WorkloadKey>();
  /** Those that asked in vain. */
  readonly waiting = new Set<WorkloadKey>();
  /** Something about those that decide is new since the stage was judged. */
  #isNew = true;
  /** Those that decided about the stage when it was judged. */
  #judgedKeys: ReadonlySet<WorkloadKey> = new Set();
  #stage: RolloutStage = { is: 'open' };
  #checked: readonly WorkloadKey[] = [];
  #dueMs = -Infinity;

  constructor(options: StagedSourceOptions) {
    this.#options = options;
    this.source = options.source;
    this.changeId = options.changeId;
    this.#users = new Set(options.users);
    this.#touched = new Set(options.users);
  }

  isOf(basis: string): boolean {
    return this.#options.basis === basis;
  }

  has(key: WorkloadKey): boolean {
    return this.#users.has(key);
  }

  /** When the stage may be another one although nothing else happens, by the wall clock. */
  get dueMs(): number {
    return this.#dueMs;
  }

  /** Those whose health checks the stage depends on. */
  get checked(): readonly WorkloadKey[] {
    return this.#checked;
  }

  /** Whether somebody waits for the answers of health checks, or may be stopped by them while waiting for something else. */
  get asksChecks(): boolean {
    return this.waiting.size > 0 || (this.isUnderWay && this.stage.is !== 'begins');
  }

  touch(key: WorkloadKey): void {
    if (this.#users.has(key)) this.#touched.add(key);
  }

  /** Who may restart now. */
  get stage(): RolloutStage {
    const nowMs = this.#options.clock.nowMs();
    this.#noteTouched();
    if (this.#isNew || nowMs >= this.#dueMs) this.#judge(nowMs);
    this.#isNew = false;
    return this.#stage;
  }

  /** How many owe a restart, whatever else they wait for. */
  get owing(): number {
    this.#noteTouched();
    return this.#owing.size;
  }

  /** Whether it matters how far it has come, for others or for the content. */
  get isUnderWay(): boolean {
    return this.keepsOthers || this.isJudged;
  }

  /** Somebody waits here; or some have restarted, and others owe it that wait for something else. */
  get keepsOthers(): boolean {
    if (this.waiting.size > 0) return true;
    const { isRolledBack } = this.#options;
    return this.owing > 0 && (isRolledBack || this.#forIt.size + this.#forOthers.size > 0);
  }

  /** Whether those that restarted for the content have yet to prove it, where that matters even if nobody waits. */
  get isJudged(): boolean {
    if (!this.#options.judgesLast) return false;
    const { is } = this.stage;
    return this.#forIt.size > 0 && (is === 'waits' || is === 'stopped');
  }

  /** Chooses as many as may go now, and returns those that were not chosen before. */
  choose(asking?: WorkloadKey): readonly WorkloadKey[] {
    const { stage } = this;
    if (stage.is !== 'begins') return [];
    const chosen: WorkloadKey[] = [];
    for (const key of this.#inTurn()) {
      if (this.#chosen.size >= stage.mayBegin) break;
      if (!this.#owing.has(key) || this.#chosen.has(key)) continue;
      if (key !== asking && !this.waiting.has(key) && !this.#options.mayBegin(key)) continue;
      this.#chosen.add(key);
      chosen.push(key);
    }
    return chosen;
  }

  /** Those that are stuck come last. */
  *#inTurn(): Generator<WorkloadKey> {
    const { users, isStuck } = this.#options;
    for (const key of users) if (!isStuck(key)) yield key;
    for (const key of users) if (isStuck(key)) yield key;
  }

  /** Whether it was chosen, and has not restarted since. */
  hasTurn(key: WorkloadKey): boolean {
    this.#noteTouched();
    return this.#chosen.has(key);
  }

  /** Something else keeps it from restarting. True: another one may go in its place. */
  passOver(key: WorkloadKey): boolean {
    return this.#chosen.delete(key);
  }

  get chosen(): ReadonlySet<WorkloadKey> {
    return this.#chosen;
  }

  /** Takes over who waits, who is about to restart, and who has proved the same content. */
  continue(before: StagedSource, isUnderWay: (key: WorkloadKey) => boolean): void {
    if (before.changeId === this.changeId) for (const key of before.#proved) if (this.has(key)) this.#proved.add(key);
    for (const key of before.waiting) if (this.has(key)) this.waiting.add(key);
    for (const key of before.#chosen) if (this.has(key) && isUnderWay(key)) this.#chosen.add(key);
  }

  /** Those that wait, in their order. */
  inOrder(): readonly WorkloadKey[] {
    return this.#options.users.filter((key) => this.waiting.has(key));
  }

  #noteTouched(): void {
    for (const key of this.#touched) this.#isNew = this.#note(key) || this.#isNew;
    this.#touched.clear();
  }

  /** Returns whether the stage may be another one. Most ask, and still owe, or restart after those that decide. */
  #note(key: WorkloadKey): boolean {
    const standing = this.#standing(key);
    if (standing === 'owes' ? this.#owing.has(key) : isSame(standing, this.#forIt.get(key) ?? this.#forOthers.get(key)))
      return false;
    const decided = this.#judgedKeys.has(key);
    const restarted = typeof standing === 'object' && (standing.isForIt ? this.#forIt : this.#forOthers);
    // One that has restarted keeps its place among the others, and goes on to decide.
    for (const each of [this.#forIt, this.#forOthers]) if (each !== restarted) each.delete(key);
    if (standing === 'owes') this.#owing.add(key);
    else for (const each of [this.#owing, this.#chosen]) each.delete(key);
    if (!restarted) return decided;
    restarted.set(key, standing);
    return decided || restarted.size <= this.#mostJudged;
  }

  #standing(key: WorkloadKey): UserStanding {
    const standing = this.#options.standing(key);
    if (standing === undefined || standing === 'owes') return standing;
    if (standing.isForIt && this.#proved.has(key)) {
      return { ...standing, state: 'healthy', healthySinceMonotonicMs: -Infinity, isChecked: false };
    }
    // A broken one that is scaled to 0 is healthy, and the content is as broken as before.
    return standing.mayProve ? standing : undefined;
  }

  #judge(nowMs: number): void {
    const { users, settings, clock, isRolledBack } = this.#options;
    if (isRolledBack) {
      this.#stage = { is: 'rolled-back' };
      this.#dueMs = Infinity;
      return;
    }
    const monotonicMs = clock.monotonicMs();
    // The wall clock may be set meanwhile, so it does not tell how long somebody is healthy.
    const judged = this.#judged();
    this.#judgedKeys = new Set(judged.map(({ key }) => key));
    const restarted = judged.map(({ healthySinceMonotonicMs: sinceMs, ...user }) => ({
      ...user,
      healthySinceMs: sinceMs === undefined ? undefined : nowMs - (monotonicMs - sinceMs),
    }));
    this.#stage = rolloutStage({ users: users.length, restarted, nowMs }, settings);
    const { is } = this.#stage;
    const ofStage = usersOfStage(judged);
    this.#checked = is === 'open' ? [] : ofStage.filter(({ isChecked }) => isChecked).map(({ key }) => key);
    this.#dueMs = is === 'begins' || is === 'waits' ? this.#stage.untilMs : Infinity;
    if (is === 'open' || is === 'begins') this.#noteProved(ofStage, monotonicMs);
  }

  /** All of a stage together: one that breaks while another still rolls out stops the others. */
  #noteProved(ofStage: readonly RestartedSince[], monotonicMs: number): void {
    const { healthyForMs } = this.#options.settings;
    const users = ofStage.filter(({ isForIt }) => isForIt);
    const isProved = users.every(
      ({ healthySinceMonotonicMs: sinceMs = Infinity }) => sinceMs + healthyForMs <= monotonicMs,
    );
    if (isProved) for (const { key } of users) this.#proved.add(key);
  }

  /**
   * Those that decide about the stage, however many have restarted: one more than it takes to begin the rest, and as
   * many of those that restarted for something else.
   */
  #judged(): readonly RestartedSince[] {
    const most = this.#mostJudged;
    return [...firstOf(this.#forIt.values(), most), ...firstOf(this.#forOthers.values(), most)];
  }

  get #mostJudged(): number {
    return mostJudged(this.#options.users.length) + 1;
  }
}

/** Whether a restarted user is as it was. */
function isSame(left: RestartedSince | undefined, right: RestartedSince | undefined): boolean {
  return (
    left !== undefined &&
    left.state === right?.state &&
    left.restartedAtMs === right.restartedAtMs &&
    left.isForIt === right.isForIt &&
    left.hasRestartedSince === right.hasRestartedSince &&
    left.isChecked === right.isChecked &&
    left.check === right.check &&
    left.healthySinceMonotonicMs === right.healthySinceMonotonicMs
  );
}

/** Does not walk through the rest, which may be thousands. */
function* firstOf<Item>(items: Iterable<Item>, count: number): Generator<Item> {
  let left = count;
  for (const item of items) {
    if (left-- <= 0) return;
    yield item;
  }
}
