import type { TemplateMarker } from '../../shared/domain/marks/workload-marks';
import type { Verdict } from '../../shared/domain/plan/verdict';

export type { TemplateMarker } from '../../shared/domain/marks/workload-marks';

export interface MarkInput {
  readonly namespace: string;
  /** The sources whose changes the restart answers: one or more. */
  readonly changes: readonly Verdict[];
  /** Unique for each restart: content that returns to an earlier state must still change the template. */
  readonly restartId: string;
  readonly nowMs: number;
}

/** A way to write a restart into a pod template. */
export type Strategy = (input: MarkInput) => TemplateMarker;
