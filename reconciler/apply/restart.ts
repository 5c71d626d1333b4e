import type { Baseline } from '../../shared/domain/baseline/baseline';
import { RerollError } from '../../shared/domain/errors';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { ClosedGate } from '../../shared/domain/gates/gate';
import type { StrategyName } from '../../shared/domain/workloads/workload-settings';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import type { KubeClient } from '../../shared/kube/client/client';
import type { ForbiddenError } from '../../shared/kube/errors';
import type { KubeObject } from '../../shared/kube/client/objects';
import type { WrittenVersion } from '../workloads/workload-entry';
import type { Change } from '../../shared/domain/plan/change';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import type { TemplateMarker } from '../../shared/domain/marks/workload-marks';

/** A restart that is decided and described, ready to be written. */
export interface Restart {
  readonly id: string;
  /** When it was decided, by this process's clock. */
  readonly atMs: number;
  readonly workload: TrackedWorkload;
  readonly changes: readonly Change[];
  /** Of these changes, and of earlier ones whose contents its sources still have. */
  readonly changeIds: readonly string[];
  /** Of these earlier ones. */
  readonly earlierChangeIds: readonly string[];
  readonly baseline: Baseline;
  readonly strategy: StrategyName;
  readonly marker: TemplateMarker;
  /** The annotations that are written to the workload with it: baseline and last restart. */
  readonly annotations: Readonly<Record<string, string>>;
  /** An earlier write was stored without its marker, so a dry run first checks whether the marker is kept now. */
  readonly asksFirst?: boolean;
  /** Closed gates that it passes because its change is urgent. */
  readonly passed?: readonly ClosedGate[];
  /** The Deployment is paused together with the restart, until this time; its annotations say so. */
  readonly pausedUntilMs?: number;
}

export interface ApplyContext {
  readonly client: KubeClient;
  /** Throws a {@link NotLeadingError} unless this process holds the lease. Called before each write. */
  readonly assertLeading: () => void;
  /** Decodes an object that was read by name. Throws a MalformedObjectError if it has no identity. */
  readonly read: (kind: WorkloadKindName, object: KubeObject) => WorkloadRecord;
  /** Called if Reroll may not write annotations alone. If it is not set, the ForbiddenError is thrown. */
  readonly onAnnotationsRefused?: (kind: WorkloadKindName, error: ForbiddenError) => void;
  /** Called if the answer to a write lacks the baseline that was written: something removed it on its way. */
  readonly onBaselineLost?: (workload: TrackedWorkload) => void;
}

/** The lease was lost between plan and write. Its new holder does the work. */
export class NotLeadingError extends RerollError {
  constructor() {
    super('this replica does not hold the lease and must not write', { code: 'NOT_LEADING' });
  }
}

/** The result of a restart. */
export type Applied =
  /**
   * `did` completes "the workload was …". Without `stored`, a missing permission prevented writing its annotations.
   */
  | { readonly kind: 'written'; readonly did: string; readonly stored: WrittenVersion | undefined }
  /** It continues by itself: a Job is deleted and created again in several steps. */
  | { readonly kind: 'under-way' }
  /** A dry run: nothing was written. */
  | { readonly kind: 'withheld' };

export type Apply = (context: ApplyContext, restart: Restart) => Promise<Applied>;
