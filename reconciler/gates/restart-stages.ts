import { canaryOrder } from '../../shared/domain/gates/canary-order';
import type { ClosedGate } from '../../shared/domain/gates/gate';
import type { RolloutStage } from '../../shared/domain/gates/source-rollout';
import { stagedUsers } from '../../shared/domain/gates/staged-users';
import { stagesGate } from '../../shared/domain/gates/stages-gate';
import type { GateName } from '../../shared/domain/gate-settings/gate-names';
import type { StageSettings } from '../../shared/domain/gate-settings/stage-settings';
import { askingUsers } from '../../shared/domain/plan/asks-for';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { SourceStages } from '../../shared/domain/protocol/source-inspection';
import type { PolicySettings } from '../../shared/domain/policy/policy';
import { currentChangeId } from '../../shared/domain/sources/change-id';
import {
  hasContent,
  sourceKey,
  type LocalSourceRef,
  type SourceKey,
  type SourceRef,
} from '../../shared/domain/sources/source';
import type { Clock } from '../../shared/runtime/clock';
import { RecentMap } from '../../shared/runtime/recent-map';
import type { SourceIndex } from '../sources/source-index';
import type { WorkloadIndex } from '../workloads/workload-index';
import type { HealthChecks } from './health-checks';
import { HealthySince } from './healthy-since';
import { MissedTurns } from './missed-turns';
import type { NamespaceGates } from './namespace-gates';
import { StagedSource } from './staged-source';
import { StagedSources } from './staged-sources';
import { isStop, type StoppedSource } from './stopped-source';
import { UserStandings, type UserStandingsOptions } from './user-standings';

export interface RestartStagesOptions extends Pick<UserStandingsOptions, 'owes'> {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly settings: StageSettings;
  readonly policy: PolicySettings;
  readonly workloads: Pick<WorkloadIndex, 'get' | 'usersOf' | 'revisionOf'>;
  readonly sources: Pick<SourceIndex, 'get'>;
  readonly namespaces: Pick<NamespaceGates, 'of'>;
  readonly checks: Pick<HealthChecks, 'verdict' | 'hasChecks' | 'dueMs' | 'round' | 'clear'>;
  /** Whether a content counts as broken also if nobody is left who could be kept from restarting for it. */
  readonly judgesLast: (source: SourceRef) => boolean;
  /** Whether holds, windows and intervals let a restart begin. */
  readonly mayBegin: (workload: TrackedWorkload, source: LocalSourceRef) => boolean;
  /** The workload may go now: look at it again. */
  readonly onTurn: (key: WorkloadKey) => void;
  /** Called once for each content and each workload that stops it. */
  readonly onStopped: (stopped: StoppedSource) => void;
}

/**
 * Sources without stages, for which each of their users asks as it restarts: to find out costs a look at all of them. It
 * is found out again now and then, in case something was missed.
 */
const unstagedKept = { keptMs: 60_000, maxEntries: 100 };

/**
 * A change of a source with many users reaches one first, then a tenth, then the rest, each when those before are
 * healthy. The verdict is computed from the objects: kept are only who waits, and since when somebody is healthy.
 */
export class RestartStages {
  readonly #options: RestartStagesOptions;
  readonly #sources = new StagedSources();
  /** On what basis a source has no stages. */
  readonly #unstaged: RecentMap<string>;
  readonly #waitsAt = new Map<WorkloadKey, SourceKey>();
  readonly #healthy: HealthySince;
  readonly #standings: UserStandings;
  /** They wait for another workload, or the API server does not take their restart. */
  readonly #passedOver = new Set<WorkloadKey>();
  /** They may restart, and their looks are not over. */
  readonly #underWay = new Set<WorkloadKey>();
  readonly #missedTurns: MissedTurns;
  readonly #told = new Map<SourceKey, string>();

  constructor(options: RestartStagesOptions) {
    this.#options = options;
    this.#unstaged = new RecentMap(options.clock, unstagedKept);
    this.#healthy = new HealthySince(options.clock);
    this.#standings = new UserStandings(options, this.#healthy);
    this.#missedTurns = new MissedTurns(options.clock, options.settings.deadlineMs);
  }

  /** Whether the workload may restart for all of these changes now; if not, it is woken when it may. */
  ask(workload: TrackedWorkload, changes: readonly LocalSourceRef[]): ClosedGate | undefined {
    const { key, record } = workload;
    this.#leave(key);
    this.#passedOver.delete(key);
    for (const { kind, name } of changes) {
      const staged = this.#stagedFor({ kind, namespace: record.namespace, name });
      if (!staged?.has(key)) continue;
      staged.touch(key);
      // Nobody has waited, so nothing was asked meanwhile.
      if (staged.waiting.size === 0) for (const other of staged.checked) staged.touch(other);
      const { stage } = staged;
      if (stage.is === 'open') continue;
      // What became of its last attempt is known by now, so another one may go instead.
      if (this.#missedTurns.isStuck(key)) staged.passOver(key);
      for (const other of staged.choose(key)) if (other !== key) this.#wake(other);
      if (stage.is === 'begins' && staged.chosen.has(key)) continue;
      staged.waiting.add(key);
      this.#waitsAt.set(key, sourceKey(staged.source));
      // Another one goes first for the other sources: this one may have stopped for good.
      for (const other of this.#sources.usedBy(key)) if (other !== staged && other.passOver(key)) this.#advance(other);
      this.#report(staged, stage);
      return this.#closedBy(staged, stage);
    }
    this.#underWay.add(key);
    return undefined;
  }

  /** What a waiting workload waits for now; undefined: it does not wait, or no longer. */
  told(key: WorkloadKey): ClosedGate | undefined {
    const staged = this.#sources.get(this.#waitsAt.get(key));
    const stage = staged?.stage;
    return staged && stage && stage.is !== 'open' ? this.#closedBy(staged, stage) : undefined;
  }

  /** What the users of a source wait for; undefined: none waits. */
  of(source: SourceRef): SourceStages | undefined {
    const staged = this.#sources.get(sourceKey(source));
    if (!staged?.isUnderWay || staged.stage.is === 'open') return undefined;
    const { changeId: change, stage } = staged;
    const isStopped = isStop(stage);
    const waiting = isStopped ? staged.owing : staged.waiting.size;
    if (waiting === 0) return undefined;
    const { detail } = this.#closedBy(staged, stage);
    return { isStopped, waiting, ...(change !== undefined && { change }), detail };
  }

  /** Who keeps the other users of a source from restarting; undefined: nobody does. */
  stoppedBy(source: SourceRef): StoppedSource | undefined {
    const staged = this.#current(source);
    return staged && this.#stopOf(staged, staged.stage);
  }

  /** Whether those that restarted first have yet to prove the content of a source, by their health checks too. */
  isJudging(source: SourceRef): boolean {
    return this.#current(source)?.isJudged === true;
  }

  /** The look at a workload is over. `isRefused`: the API server does not take its restart. */
  ended(key: WorkloadKey, waits: GateName | undefined, isRefused: boolean): void {
    const mayHaveWritten = this.#underWay.delete(key);
    if (waits !== 'stages') this.#leave(key);
    if (waits !== undefined && waits !== 'stages') this.#missedTurns.forget(key);
    const isStuck = waits === undefined && !mayHaveWritten && this.#missedTurns.isStuck(key);
    // A hold or a window may end for all users at once, and then the first is the first again, whoever is looked at
    // before it. So these are asked about each time.
    const isPassedOver = isRefused || isStuck || waits === 'order';
    if (isPassedOver) this.#passedOver.add(key);
    // With stages and pace its turn comes, so nobody goes in its place.
    const isKept = isPassedOver || (waits !== undefined && waits !== 'stages' && waits !== 'pace');
    for (const staged of this.#sources.usedBy(key)) {
      if (isKept && staged.passOver(key)) this.#advance(staged);
    }
    this.changed(key);
    if (this.#sources.usedBy(key).some((staged) => staged.hasTurn(key))) this.#missedTurns.missed(key);
  }

  /** The index shows the workload, or it is gone. */
  changed(key: WorkloadKey): void {
    this.#healthy.shown(key, this.#options.workloads.get(key)?.record.progress.state);
    for (const staged of this.#sources.usedBy(key)) {
      staged.touch(key);
      if (staged.isUnderWay) this.#advance(staged);
    }
  }

  /** It is time for what happens by itself. */
  expire(): void {
    const nowMs = this.#options.clock.nowMs();
    for (const staged of [...this.#sources]) {
      if (staged.isUnderWay && staged.dueMs <= nowMs) this.#advance(staged);
    }
    if (this.#checksDueMs > nowMs) return;
    this.#options.checks.round(
      [...this.#sources].flatMap((staged) =>
        staged.asksChecks ? staged.checked.flatMap((key) => this.#options.workloads.get(key) ?? []) : [],
      ),
    );
  }

  /** Looks whether something was missed, and who comes first by now. */
  recheck(): void {
    for (const staged of [...this.#sources]) {
      if (staged.isUnderWay) this.#advance(this.#rebuilt(staged.source, staged) ?? staged);
    }
  }

  /** It waits for no other workload any more: it may go first again, whoever is looked at before it. */
  unblocked(key: WorkloadKey): void {
    this.#passedOver.delete(key);
  }

  /** Nothing is owed to the workload any more, or it was restarted, or is gone. */
  forget(key: WorkloadKey): void {
    this.#leave(key);
    this.#passedOver.delete(key);
    this.#missedTurns.forget(key);
  }

  clear(): void {
    this.#sources.clear();
    this.#unstaged.clear();
    this.#waitsAt.clear();
    this.#healthy.clear();
    this.#passedOver.clear();
    this.#underWay.clear();
    this.#missedTurns.clear();
    this.#told.clear();
    this.#options.checks.clear();
  }

  /** Whether something may happen by itself. Asked at each event of a workload, so nothing is copied. */
  get isWaiting(): boolean {
    if (this.#waitsAt.size > 0) return true;
    for (const { isUnderWay } of this.#sources) if (isUnderWay) return true;
    return false;
  }

  /** How many sources have stopped others. */
  get stopped(): number {
    let count = 0;
    for (const staged of this.#sources) {
      if (staged.keepsOthers && isStop(staged.stage)) count++;
    }
    return count;
  }

  /** When something happens by itself, by the wall clock. */
  get dueMs(): number {
    let dueMs = this.#checksDueMs;
    for (const staged of this.#sources) if (staged.isUnderWay) dueMs = Math.min(dueMs, staged.dueMs);
    return dueMs;
  }

  /** When health checks are asked again; infinity: nobody waits for any. */
  get #checksDueMs(): number {
    const { clock, checks } = this.#options;
    for (const staged of this.#sources) {
      if (staged.asksChecks && staged.checked.length > 0) return clock.nowMs() + checks.dueMs - clock.monotonicMs();
    }
    return Infinity;
  }

  #current(source: SourceRef): StagedSource | undefined {
    const known = this.#sources.get(sourceKey(source));
    if (known) this.#advance(known);
    // A new leader is asked nothing as long as all users wait for something else.
    return this.#sources.get(sourceKey(source)) ?? this.#stagedFor(source);
  }

  /** Wakes those that may go now. */
  #advance(known: StagedSource): void {
    const { waiting } = known;
    const staged = this.#stagedFor(known.source);
    // It has no stages any more.
    if (!staged) for (const key of [...waiting]) this.#wake(key);
    if (!staged) return;
    // Users that are no longer among them.
    if (staged !== known) for (const key of waiting) if (!staged.waiting.has(key)) this.#wake(key);
    const { stage } = staged;
    this.#report(staged, stage);
    if (staged.waiting.size === 0) return;
    const woken = stage.is === 'open' ? staged.inOrder() : staged.choose();
    for (const key of woken) this.#wake(key);
  }

  #wake(key: WorkloadKey): void {
    this.#leave(key);
    this.#options.onTurn(key);
  }

  #leave(key: WorkloadKey): void {
    const at = this.#waitsAt.get(key);
    if (at === undefined) return;
    this.#waitsAt.delete(key);
    this.#sources.get(at)?.waiting.delete(key);
  }

  /** Undefined: all users of it may restart at once. */
  #stagedFor(source: SourceRef): StagedSource | undefined {
    const key = sourceKey(source);
    const basis = this.#basisOf(source);
    const known = this.#sources.get(key);
    if (known?.isOf(basis)) return known;
    return !known && this.#unstaged.get(key) === basis ? undefined : this.#rebuilt(source, known);
  }

  #rebuilt(source: SourceRef, known: StagedSource | undefined): StagedSource | undefined {
    if (known) this.#sources.drop(known);
    const key = sourceKey(source);
    const basis = this.#basisOf(source);
    const record = this.#options.sources.get(source);
    const id = currentChangeId(source, record);
    // A content that comes back is news again.
    if (known && known.changeId !== id) this.#told.delete(key);
    const isResumed = id !== undefined && record?.gates?.resumed === id;
    const isRolledBack = id !== undefined && record?.gates?.rolledBack?.includes(id) === true;
    const judgesLast = this.#options.judgesLast(source);
    const users = this.#participants(source, isRolledBack);
    if (users.length < (isRolledBack || judgesLast ? 1 : 2) || isResumed) {
      this.#told.delete(key);
      this.#unstaged.set(key, basis);
      return undefined;
    }
    const { settings, clock } = this.#options;
    const workloadOf = (user: WorkloadKey): TrackedWorkload | undefined => this.#options.workloads.get(user);
    const staged = new StagedSource({
      ...{ source, basis, changeId: id, isRolledBack, judgesLast, settings, clock },
      users: users.toSorted(canaryOrder).map((user) => user.key),
      standing: (user) => {
        const workload = workloadOf(user);
        return workload && this.#standings.of(workload, source, record, id);
      },
      mayBegin: (user) => {
        const workload = workloadOf(user);
        if (!workload || this.#passedOver.has(user)) return false;
        const waitsAt = this.#waitsAt.get(user);
        return (waitsAt === undefined || waitsAt === key) && this.#options.mayBegin(workload, source);
      },
      isStuck: (user) => this.#missedTurns.isStuck(user),
    });
    if (known) staged.continue(known, (user) => this.#underWay.has(user));
    const dropped = this.#sources.add(staged);
    if (dropped) this.#told.delete(sourceKey(dropped.source));
    return staged;
  }

  #basisOf(source: SourceRef): string {
    const { workloads, sources, namespaces } = this.#options;
    const { namespace } = source;
    const record = sources.get(source);
    // The version of a SecretProviderClass is that of its rotation: its annotations change without it.
    const { stages = '', resumed = '' } = record?.gates ?? {};
    const flags = `${record?.ignore === true} ${record?.match === true}`;
    const around = namespaces.of(namespace)?.stages ?? '';
    // A watch shows a version before its content is read. Until then it is not known who has restarted for it.
    const read = record && hasContent(record) ? 'read' : '';
    const last = this.#options.judgesLast(source) ? 'last' : '';
    return [workloads.revisionOf(namespace), record?.resourceVersion, read, flags, stages, resumed, around, last].join(
      ' ',
    );
  }

  /** Nobody restarts for a content that was put back, not even a workload with `stages: off`. */
  #participants(source: SourceRef, isRolledBack: boolean): readonly TrackedWorkload[] {
    const { settings, policy, workloads, sources, namespaces } = this.#options;
    const record = sources.get(source);
    const users = askingUsers(workloads.usersOf(source), record, policy);
    if (isRolledBack) return users;
    const around = record?.gates?.stages ?? namespaces.of(source.namespace)?.stages;
    return stagedUsers(users, around, settings.fromUsers);
  }

  #closedBy(staged: StagedSource, stage: Exclude<RolloutStage, { readonly is: 'open' }>): ClosedGate {
    const [key = ''] = staged.chosen;
    const record = this.#options.workloads.get(key)?.record;
    const first = record && { title: `${record.kind} ${record.name}`, others: staged.chosen.size - 1 };
    return stagesGate({ source: staged.source, stage, first, settings: this.#options.settings });
  }

  #report(staged: StagedSource, stage: RolloutStage): void {
    const stop = this.#stopOf(staged, stage);
    if (!stop) return;
    const key = sourceKey(stop.source);
    const what = `${stop.change ?? ''} ${stop.failed?.key ?? ''}`;
    if (this.#told.get(key) === what) return;
    this.#told.set(key, what);
    this.#options.onStopped(stop);
  }

  #stopOf(staged: StagedSource, stage: RolloutStage): StoppedSource | undefined {
    if (!isStop(stage) || !staged.isUnderWay) return undefined;
    const { source, changeId: change } = staged;
    const { workloads, sources } = this.#options;
    const failed = stage.is === 'stopped' ? workloads.get(stage.failed.key) : undefined;
    if (stage.is === 'stopped' && !failed) return undefined;
    const { detail } = this.#closedBy(staged, stage);
    return { source, record: sources.get(source), change, failed, keepsOthers: staged.keepsOthers, detail };
  }
}
