import type { AnnotationKeys } from '../../shared/domain/annotations/annotations';
import type { PlanInput, Term } from '../../shared/domain/plan/plan-input';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import type { Selection } from '../../shared/domain/sources/selection';
import type { SourceFlags, SourceKind, SourceRef } from '../../shared/domain/sources/source';
import type { Clock } from '../../shared/runtime/clock';
import type { JobJournal } from '../apply/job-journal';
import type { HeldInstall } from '../gates/held-install';
import type { RestartTurns } from '../gates/restart-turns';
import type { WorkloadGates } from '../gates/workload-gates';
import type { RestartHistory } from '../history/restart-history';
import type { KeyQueue } from '../queue/key-queue';
import type { ReceivedRecords } from '../hints/received-records';
import type { MissingPermissions } from '../reporting/missing-permissions';
import type { WatchStatus } from '../watch/watches';
import { planInput, type PlanView } from '../worker/plan-view';
import type { SettleTimes, SettleWindows } from '../worker/settle-window';
import type { UnfinishedLooks } from '../worker/unfinished-looks';
import type { CsiRotations } from '../sources/csi-rotations';
import type { ComparableVersions } from '../workloads/comparable-versions';
import type { NamespaceScope } from '../workloads/namespace-scope';

/** What answers about workloads and sources are made from. All of it is in memory, and kept for other reasons. */
export interface InspectionView extends PlanView {
  readonly clock: Clock;
  readonly annotationKeys: AnnotationKeys;
  readonly versions: Pick<ComparableVersions, 'known'>;
  readonly scope: Pick<NamespaceScope, 'isKnown' | 'isSelected'>;
  readonly queue: Pick<KeyQueue, 'standing' | 'depth' | 'oldestDueMs'>;
  readonly settle: Pick<SettleWindows, 'remainingMs' | 'openedMs'>;
  readonly unfinished: Pick<UnfinishedLooks, 'get'>;
  readonly history: Pick<RestartHistory, 'read' | 'find' | 'unhealthySinceMs'>;
  readonly journal: Pick<JobJournal, 'isRecreating'>;
  readonly gates: Pick<WorkloadGates, 'ask' | 'turns'>;
  readonly turns: Pick<RestartTurns, 'told' | 'stagesOf'>;
  readonly heldInstall: Pick<HeldInstall, 'hold'>;
  readonly permissions: Pick<MissingPermissions, 'reported'>;
  /** What the webhook has reported. */
  readonly received: Pick<ReceivedRecords, 'counts'>;
  readonly settings: PlanView['settings'] &
    Pick<Selection, 'namespaces' | 'namespacesToIgnore'> &
    SettleTimes & {
      readonly dryRun: boolean;
      readonly csi: boolean;
      readonly ignoredSourceKind: SourceKind | undefined;
    };
  /** Undefined if SecretProviderClasses are not watched. */
  readonly csi: Pick<CsiRotations, 'classOf'> | undefined;
  readonly watchStatuses: () => readonly WatchStatus[];
  /** The first lists of sources are complete, or will not be. */
  readonly isSettled: () => boolean;
}

/** Whether a flag leaves out a namespace. */
export function isNamespaceWatched({ settings }: Pick<InspectionView, 'settings'>, namespace: string): boolean {
  const { namespaces, namespacesToIgnore } = settings;
  return namespaces.length > 0 ? namespaces.includes(namespace) : !namespacesToIgnore.includes(namespace);
}

/** The annotations of a source; undefined: there is none. A class is there before its first rotation, too. */
export function flagsOf(
  { sources, csi }: Pick<InspectionView, 'sources' | 'csi'>,
  source: SourceRef,
): SourceFlags | undefined {
  return sources.get(source) ?? (source.kind === 'SecretProviderClass' ? csi?.classOf(source) : undefined);
}

/** What answers are judged from: what a plan is, and the annotations of classes that may still be rotated. */
export function inspectionInput(view: InspectionView, workload: TrackedWorkload, term: Term): PlanInput {
  return { ...planInput(view, workload, term), classFlags: (source) => flagsOf(view, source) };
}

/** Whether a flag leaves out a kind of sources. */
export function isSourceKindWatched({ settings }: Pick<InspectionView, 'settings'>, kind: SourceKind): boolean {
  return kind === 'SecretProviderClass' ? settings.csi : kind !== settings.ignoredSourceKind;
}

/** A time of the monotonic clock, as people read it. */
export function wallTime({ clock }: Pick<InspectionView, 'clock'>, monotonicMs: number): string {
  return new Date(clock.nowMs() + monotonicMs - clock.monotonicMs()).toISOString();
}
