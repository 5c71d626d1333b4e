import type { RolloutStage } from '../../shared/domain/gates/source-rollout';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import type { SourceRecord, SourceRef } from '../../shared/domain/sources/source';

/** A source whose restarts have stopped. */
export interface StoppedSource {
  readonly source: SourceRef;
  /** Undefined: the source is deleted. */
  readonly record: SourceRecord | undefined;
  /** The id of its content; undefined: that is not known. */
  readonly change: string | undefined;
  /** The workload that is not healthy; undefined: the content was put back before. */
  readonly failed: TrackedWorkload | undefined;
  /** Whether it keeps other users from restarting. */
  readonly keepsOthers: boolean;
  readonly detail: string;
}

type Stop = Extract<RolloutStage, { readonly is: 'stopped' | 'rolled-back' }>;

/** Whether nobody else restarts until somebody does something. */
export function isStop(stage: RolloutStage): stage is Stop {
  return stage.is === 'stopped' || stage.is === 'rolled-back';
}
