import { splitObjectKey } from '../../shared/domain/kubernetes/object-key';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { mayHaveOther, mayOwe } from '../../shared/domain/plan/may-owe';
import type { PlanInput, Term } from '../../shared/domain/plan/plan-input';
import { workloadKey, type TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import type { ForbiddenError } from '../../shared/kube/errors';
import { journalKey, loadInstallKey } from '../../shared/kube/secrets/install-keys';
import { unstoredWorkload, withIdentity } from '../../shared/domain/plan/unstored-workload';
import { JobJournal, type JobJournalOptions } from '../apply/job-journal';
import { entryName } from '../apply/journal-entry';
import { JournalStore } from '../apply/journal-store';
import type { RestartTurns } from '../gates/restart-turns';
import { HealthChecker } from '../health-checks/health-checker';
import type { RestartHistory } from '../history/restart-history';
import { Inspections } from '../inspection/inspections';
import { Questions } from '../questions/questions';
import { KeyQueue } from '../queue/key-queue';
import { Deferrals } from '../reporting/deferrals';
import type { MissingPermissions } from '../reporting/missing-permissions';
import type { EventRecorder } from '../../shared/kube/client/events';
import type { Reporter } from '../reporting/reporter';
import { Stops } from '../reporting/stops';
import { AdoptionRateLimiter } from '../worker/adoption-rate-limiter';
import { BaselineRemovals } from '../worker/baseline-removals';
import { InjectedRestarts } from '../worker/injected-restarts';
import { JobWorker } from '../worker/job-worker';
import { planInput, type PlanView } from '../worker/plan-view';
import { RolloutCoalescer } from '../worker/rollout-coalescer';
import { SettleWindows } from '../worker/settle-window';
import { UnfinishedLooks } from '../worker/unfinished-looks';
import { Worker } from '../worker/worker';
import { dryRunWriters, writersFor } from '../worker/writers';
import { ComparableVersions } from '../workloads/comparable-versions';
import { buildTurns, type GateParts } from './build-gates';
import { buildRollbacks, onFailureOf, type RollbackParts } from './build-rollbacks';
import type { SourceParts } from './build-sources';
import type { WatchParts } from './build-watch';
import type { WorkloadParts } from './build-workloads';
import { type EngineBase, queueOptions } from './engine-deps';
import { observeGates, observeJobs, queueObserver } from './observers';

/** The queues, and the parts that decide and act. */
export interface WorkParts {
  /** Keys of the workloads to look at. */
  readonly queue: KeyQueue;
  readonly worker: Worker;
  readonly settle: SettleWindows;
  readonly coalescer: RolloutCoalescer;
  readonly unfinished: UnfinishedLooks;
  /** In which order restarts begin, and how many at once. */
  readonly turns: RestartTurns;
  /** Undefined: nothing is kept or put back. */
  readonly rollback: RollbackParts | undefined;
  /** Names of the journal entries whose Jobs are being recreated. */
  readonly jobs: KeyQueue;
  readonly jobWorker: JobWorker;
  /** Answers the questions of the webhook. */
  readonly questions: Questions;
  /** Answers people. */
  readonly inspections: Inspections;
  /** A tracked workload was shown or written, whatever about it is new. */
  readonly saw: (workload: TrackedWorkload) => void;
}

export interface Parts {
  readonly events: Pick<EventRecorder, 'record'>;
  readonly reporter: Reporter;
  readonly sources: SourceParts;
  readonly workloads: WorkloadParts;
  readonly gates: GateParts;
  readonly watch: WatchParts;
  readonly history: RestartHistory;
  readonly permissions: MissingPermissions;
}

export interface WorkEvents {
  /** Throws a NotLeadingError if this process must not write. */
  readonly assertLeading: () => void;
  /** Undefined while this process must not act. */
  readonly term: () => Term | undefined;
  /** Looks whether etcd was restored, and reports it before it resolves. @throws an error of the request */
  readonly checkRestored: () => Promise<void>;
  /** Called when a read shows that etcd was restored; `version` is the one that it found. */
  readonly onRestored: (version: string) => void;
}

export function buildWork(base: EngineBase, parts: Parts, events: WorkEvents): WorkParts {
  const { deps, settings, keys } = base;
  const { client, clock, random, logger, metrics, checker = new HealthChecker({ clock }) } = deps;
  const { annotationKeys, dryRun } = settings;
  const { events: recorder, gates, history, permissions, reporter, sources, workloads, watch } = parts;
  const context = {
    client,
    assertLeading: events.assertLeading,
    onAnnotationsRefused: (kind: WorkloadKindName, error: ForbiddenError) => permissions.annotations(kind, error),
    onBaselineLost: (workload: TrackedWorkload) => removals.lost(workload),
    read: workloads.read,
  };
  const removals = new BaselineRemovals({ client, clock, reporter });
  const journal = buildJournal(base, parts, events, {
    onEntry: (name) => jobs.add(name),
    onRecreating: ({ uid: formerUid, successor }) => {
      const record = workloads.read('Job', withIdentity(successor, successor.metadata.namespace));
      turns.returns({ entry: entryName(formerUid), formerUid, workload: unstoredWorkload(record, undefined) });
    },
  });
  const jobWorker = new JobWorker({
    ...{ journal, reporter, logger },
    onSuperseded: (entry, job) => {
      turns.returnsNot(entry);
      // Until the first lists are complete, nothing has been looked at, and then everything is.
      if (job === undefined || !watch.known.hasSynced) return;
      const { namespace, name } = splitObjectKey(job);
      queue.add(workloadKey('Job', namespace, name));
    },
    // One that asks for no restarts any more is shown as such, and is no Job that anybody waits for.
    isAwaited: (entry, { namespace, name }) =>
      turns.isReturning(entry) && workloads.index.untrackedBecause(workloadKey('Job', namespace, name)) === undefined,
    onNeverShown: (entry) => turns.returnsNot(entry),
  });
  const jobs = new KeyQueue({ ...queueOptions(base), process: async (name) => await jobWorker.process(name) });
  observeJobs(metrics, jobWorker);

  const view: PlanView = {
    ...{ keys, settings, workloads: workloads.index, sources: sources.index, term: events.term },
    knownKinds: (namespace) => watch.known.in(namespace),
    isNamed: (source) => watch.named.knows(source),
  };
  const restarts = {
    ...{ clock, random, contents: sources.contents, defaults: settings, hints: sources.hints },
    injected: new InjectedRestarts(),
  };
  const questions = new Questions({
    ...{ ...view, ...restarts, settings, keys, annotationKeys, dryRun, scope: workloads.scope, read: workloads.read },
    gates: gates.workloads,
    askedChecks: checker.asked,
    isSettled: () => watch.known.hasSynced,
  });
  const settle = new SettleWindows(clock);
  const versions = new ComparableVersions(client);
  const unfinished = new UnfinishedLooks(clock);
  const onFailure = onFailureOf(settings, sources, workloads.scope, gates.namespaces);
  const stops = new Stops({ logger, events: recorder, onFailure });
  const planView = { ...view, versions };
  const asksPlan = <Of>(asked: (of: Of, input: PlanInput) => boolean) => {
    return (workload: TrackedWorkload, of: Of): boolean => {
      const term = events.term();
      return term !== undefined && asked(of, planInput(planView, workload, term));
    };
  };
  const owes = asksPlan(mayOwe);
  const turns = buildTurns(base, parts, checker, {
    owes,
    judgesLast: (source) => onFailure(source) !== 'stop',
    onTurn: (key) => queue.add(key),
    onStopped: (stopped) => {
      stops.stopped(stopped);
      rollback?.rollbacks.changed(stopped.source);
    },
    onChange: (key) => {
      const workload = workloads.index.get(key);
      if (workload) rollback?.rollbacks.saw(workload);
    },
  });
  const mayAct = (): boolean => events.term() !== undefined && watch.known.hasSynced;
  const { assertLeading } = events;
  const rollback: RollbackParts | undefined =
    settings.rollback && !dryRun
      ? buildRollbacks(base, {
          ...{ events: recorder, sources, workloads, turns, onFailure, owes, mayAct, assertLeading },
          hasOther: asksPlan(mayHaveOther),
          gates: gates.workloads,
        })
      : undefined;
  observeGates(deps, unfinished, gates.heldInstall, turns);
  const coalescer = new RolloutCoalescer({ clock, logger, context });
  const pauses = { clock, context, workloads: workloads.index, reporter, pausedAtKey: annotationKeys.pausedAt };
  const worker = new Worker({
    ...{ ...view, ...restarts, context, reporter, settle, coalescer, versions, unfinished, turns },
    gates: gates.workloads,
    deferrals: new Deferrals({ logger, events: recorder }),
    adoptions: new AdoptionRateLimiter(clock),
    checkRestored: events.checkRestored,
    onRestored: events.onRestored,
    refresh: workloads.refresh,
    isOutdated: workloads.isOutdated,
    removals,
    writers: dryRun ? dryRunWriters : writersFor(journal, pauses),
  });
  const queue = new KeyQueue({
    ...queueOptions(base),
    process: async (key) => await worker.process(key),
    observer: queueObserver(metrics),
  });
  const saw = (workload: TrackedWorkload): void => {
    turns.saw(workload);
    rollback?.rollbacks.saw(workload);
    // What its pods read while its restart waits may be changed back before they are replaced. So it is recorded now.
    if (worker.mayBeInDoubt(workload)) queue.add(workload.key, 0);
  };
  const inspections = new Inspections({
    ...{ ...view, clock, settings, annotationKeys, versions, queue, settle, unfinished, turns, journal, permissions },
    ...{ history, scope: workloads.scope, received: sources.intake.received },
    ...{ gates: gates.workloads, heldInstall: gates.heldInstall },
    ...{ csi: watch.csi, watchStatuses: () => watch.watches.statuses() },
    isSettled: () => watch.known.hasSynced,
  });
  return {
    queue,
    worker,
    settle,
    coalescer,
    unfinished,
    turns,
    rollback,
    jobs,
    jobWorker,
    questions,
    inspections,
    saw,
  };
}

function buildJournal(
  { deps: { client, random }, settings: { ownNamespace } }: EngineBase,
  { reporter, permissions }: Parts,
  { assertLeading }: WorkEvents,
  { onEntry, onRecreating }: Pick<JobJournalOptions, 'onEntry' | 'onRecreating'>,
): JobJournal {
  const store = new JournalStore({
    ...{ client, namespace: ownNamespace },
    loadKey: async () => await loadInstallKey(client, random, ownNamespace, journalKey),
    onRefusedEntry: (entry) => reporter.journalEntryRefused(entry),
    assertLeading,
  });
  const onRefused = (error: ForbiddenError): void => permissions.journal(error);
  return new JobJournal({ client, store, assertLeading, onEntry, onRecreating, onRefused });
}
