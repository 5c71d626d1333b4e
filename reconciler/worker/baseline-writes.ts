import { ownAnnotations } from '../../shared/domain/annotations/annotations';
import { revertedBaseline, type Baseline } from '../../shared/domain/baseline/baseline';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import { isLeftToNextRun } from '../../shared/domain/workloads/workload-settings';
import { getObject, type KubeObject } from '../../shared/kube/client/objects';
import { baselineText } from '../apply/baseline-too-large-error';
import { didOfMerge } from '../apply/merge-template';
import { didOfPatch, leftToNextRun, MarkerLostError } from '../apply/patch-workload';
import { StaleWorkloadError } from '../apply/read-again';
import type { ApplyContext, Restart } from '../apply/restart';
import { restartedByTime } from '../apply/restart-rollout';
import { urgently, type Deferrals } from '../reporting/deferrals';
import type { Reporter } from '../reporting/reporter';
import type { WorkloadIndex } from '../workloads/workload-index';
import type { AdoptionRateLimiter } from './adoption-rate-limiter';
import type { BaselineRemovals } from './baseline-removals';
import {
  isUndecided,
  lostRestart,
  markedRestart,
  mayLackMarker,
  UnansweredRestarts,
  versionOf,
} from './unanswered-restarts';
import type { LookResult } from './unfinished-looks';
import type { Writers } from './writers';

export interface BaselineWritesOptions {
  readonly context: ApplyContext;
  readonly writers: Pick<Writers, 'annotate'>;
  readonly workloads: Pick<WorkloadIndex, 'get' | 'remember' | 'wrote' | 'takeBack' | 'timesForgotten'>;
  readonly reporter: Pick<Reporter, 'answered' | 'restarted' | 'notRestarted'>;
  readonly adoptions: AdoptionRateLimiter;
  readonly removals: Pick<BaselineRemovals, 'putBack' | 'forget'>;
  readonly deferrals: Pick<Deferrals, 'countable'>;
  /** Looks whether etcd was restored, and reports it before it resolves. @throws an error of the request */
  readonly checkRestored: () => Promise<void>;
}

/** The Deployment's controller has not seen the current spec yet. It does so within moments. */
const unobserved: LookResult = { kind: 'again', afterMs: 1_000, waitsFor: 'rollout' };

/** Delay until another attempt to write a baseline: a permission may be granted, or a webhook corrected, meanwhile. */
export const unwritten: LookResult = { kind: 'again', afterMs: 10 * 60_000, waitsFor: 'baseline-write' };

/** Writes baselines without a restart, and takes back those of restarts that did not take effect. */
export class BaselineWrites {
  readonly #options: BaselineWritesOptions;
  /** Workloads whose last restart was stored without its marker. */
  readonly #lostMarkers = new Set<WorkloadKey>();
  readonly #unanswered = new UnansweredRestarts();

  constructor(options: BaselineWritesOptions) {
    this.#options = options;
  }

  hasLostMarker(key: WorkloadKey): boolean {
    return this.#lostMarkers.has(key);
  }

  /** A restart of the workload was written, with its marker. */
  restarted(key: WorkloadKey): void {
    this.#lostMarkers.delete(key);
    this.#unanswered.forget(key);
  }

  /**
   * The write of a restart failed: it may have been stored nevertheless, or stored without its marker. `timesForgotten`
   * is that of the index when it began.
   */
  async failed(restart: Restart, error: unknown, timesForgotten: number): Promise<void> {
    if (error instanceof MarkerLostError) {
      await this.#takeBack(restart.workload, restart, error.resourceVersion, timesForgotten);
    } else this.#unanswered.failed(restart, error);
  }

  /** The workload is deleted. */
  forget(key: WorkloadKey): void {
    this.#lostMarkers.delete(key);
    this.#unanswered.forget(key);
    this.#options.adoptions.forget(key);
    this.#options.removals.forget(key);
  }

  /** Undefined: a baseline may be recorded without a restart now. */
  async turn(workload: TrackedWorkload): Promise<LookResult | undefined> {
    const { adoptions, checkRestored, workloads } = this.#options;
    const waitMs = adoptions.take(workload.key, workload.baselineLost);
    if (waitMs > 0) return { kind: 'again', afterMs: waitMs, waitsFor: 'baseline-turn' };
    if (!workload.baselineLost) return undefined;
    // A restore of etcd looks the same, but it has also undone the restart: what was recorded with it is owed again.
    await checkRestored();
    return workloads.get(workload.key) === workload ? undefined : { kind: 'again', afterMs: 0 };
  }

  /** Records the baseline without a restart, when it has its turn. False: in memory only. */
  async adopt(workload: TrackedWorkload, baseline: Baseline): Promise<boolean> {
    const stored = await this.record(workload, baseline);
    if (stored && workload.baselineLost) {
      this.#options.adoptions.restored(workload.key);
      await this.#options.removals.putBack(workload);
    }
    return stored;
  }

  /**
   * Writes only the baseline, to `version` of the workload. False: it is kept in memory, because a permission is
   * missing or somebody removes it on its way.
   */
  async record(
    workload: TrackedWorkload,
    baseline: Baseline,
    version = workload,
    others: Readonly<Record<string, null>> = {},
  ): Promise<boolean> {
    const { context, writers, workloads } = this.#options;
    const annotations = { ...others, [ownAnnotations.baseline]: baselineText(workload, baseline) };
    const { timesForgotten } = workloads;
    // If this write gets no answer either, nothing else shows which of the two was stored.
    this.#unanswered.seen(version);
    const stored = await writers.annotate(context, version, annotations);
    // A restore of etcd may have undone it meanwhile.
    if (workloads.timesForgotten !== timesForgotten) throw new StaleWorkloadError(workload);
    if (!stored || stored.lacksBaseline) {
      workloads.remember(workload, baseline);
      return false;
    }
    // Had an unanswered restart been stored, this write would have failed. So the record is not one of a restart.
    this.#unanswered.forget(workload.key);
    workloads.wrote(workload, stored, baseline);
    return true;
  }

  /**
   * Finds out what became of restarts that got no answer. Undefined: the workload may be planned for now. Throws a
   * MarkerLostError, and what the read throws.
   */
  async resolveUnanswered(workload: TrackedWorkload): Promise<LookResult | undefined> {
    if (await this.#keepUnrecorded(workload)) return { kind: 'again', afterMs: 0 };
    return (await this.#takeBackUnmarked(workload)) ? undefined : unobserved;
  }

  /** Keeps the baseline of a restart that was stored without it: the workload has restarted. */
  async #keepUnrecorded(workload: TrackedWorkload): Promise<boolean> {
    const restarts = this.#unanswered.takeUnrecorded(workload);
    if (restarts.length === 0) return false;
    const { context, workloads } = this.#options;
    const { timesForgotten } = workloads;
    const stored = await this.#readStored(workload, restarts);
    const made = markedRestart(restarts, stored);
    if (workloads.timesForgotten !== timesForgotten) {
      // A restore of etcd may have undone it since. The next look finds out.
      restarts.forEach((each) => this.#unanswered.failed(each, undefined));
      return true;
    }
    if (!made) return false;
    context.onBaselineLost?.(workload);
    workloads.remember(workload, made.baseline);
    this.restarted(workload.key);
    this.#report(workload, made, stored);
    return true;
  }

  /** Tells of a restart of which nobody was told when it was written, as if its answer had come. */
  #report(workload: TrackedWorkload, made: Restart, stored: KubeObject | undefined): void {
    const { deferrals, reporter } = this.#options;
    reporter.answered(deferrals.countable(workload, made.changes));
    const did = didOf(made, stored) + urgently(made.passed ?? []);
    reporter.restarted(workload, made, { did, changedMs: undefined });
  }

  /**
   * Takes back a restart that was stored without its marker, and reports one that was stored with it. False: nobody can
   * tell which it is yet.
   */
  async #takeBackUnmarked(workload: TrackedWorkload): Promise<boolean> {
    const recorded = this.#unanswered.takeRecorded(workload);
    if (!recorded) return false;
    if (recorded.length === 0) return true;
    const { reporter, workloads } = this.#options;
    const { timesForgotten } = workloads;
    const { resourceVersion, lastRestart } = workload.record;
    const restarts = recorded.filter((restart) => mayLackMarker(restart, workload.record));
    const stored = restarts.length > 0 ? await this.#readStored(workload, recorded) : undefined;
    if (stored && isUndecided(recorded, versionOf(workload.record.kind, stored))) {
      recorded.forEach((each) => this.#unanswered.failed(each, undefined));
      return false;
    }
    const lost = stored && lostRestart(restarts, stored);
    if (!lost) {
      const made = recorded.find(({ id }) => id === lastRestart?.id);
      if (made) this.#report(workload, made, stored);
      return true;
    }
    const { restart } = lost;
    const error = new MarkerLostError(workload, lost.missing, resourceVersion);
    reporter.notRestarted(workload, error);
    const owing = { ...workload, baseline: restart.workload.baseline };
    await this.#takeBack(owing, restart, resourceVersion, timesForgotten);
    throw error;
  }

  /** If it cannot be read, these restarts are looked for again. */
  async #readStored({ record }: TrackedWorkload, restarts: readonly Restart[]): Promise<KubeObject> {
    const { kind, namespace, name } = record;
    try {
      return await getObject(this.#options.context.client, workloadKind(kind).resource, namespace, name);
    } catch (error) {
      restarts.forEach((each) => this.#unanswered.failed(each, undefined));
      throw error;
    }
  }

  /** Reverts the stored baseline: the pods are unchanged, so the restart is still owed. */
  async #takeBack(
    workload: TrackedWorkload,
    restart: Restart,
    stored: string | undefined,
    timesForgotten: number,
  ): Promise<void> {
    const { baseline, changes } = restart;
    this.#lostMarkers.add(workload.key);
    if (stored === undefined) return;
    const owed = revertedBaseline(
      baseline,
      workload.baseline,
      changes.map(({ id }) => id),
    );
    const version = { ...workload, record: { ...workload.record, resourceVersion: stored } };
    const others = { [ownAnnotations.lastRestart]: null };
    const isStored = await this.record(workload, owed, version, others).catch(() => false);
    if (isStored) return;
    const { workloads } = this.#options;
    // A restore of etcd may have undone the restart, or only what took it back. The next look finds out which.
    if (workloads.timesForgotten !== timesForgotten) this.#unanswered.failed(restart, undefined);
    // The reverted baseline in memory is newer than the stored one, so it counts. The next look writes it.
    else workloads.takeBack(workload, owed, stored);
  }
}

/** What the restart did; of a workload that was not read, its own triggers are not known. */
function didOf(restart: Restart, stored: KubeObject | undefined): string {
  const { kind, settings, rollout } = restart.workload.record;
  if (isLeftToNextRun(kind, settings)) return leftToNextRun;
  if (kind === 'CronJob') return 'run as a Job';
  if (kind === 'Rollout' && rollout?.strategy === 'restart') return restartedByTime;
  return kind === 'DeploymentConfig' && stored ? didOfMerge(stored) : didOfPatch(restart);
}
