import type { Baseline } from '../../shared/domain/baseline/baseline';
import { RerollError } from '../../shared/domain/errors';
import type { StrategyName, WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import type { KubeClient } from '../../shared/kube/client/client';
import type { ForbiddenError } from '../../shared/kube/errors';
import type { KubeObject } from '../../shared/kube/client/objects';
import type { Change } from '../../shared/domain/plan/change';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import type { TemplateMarker } from './marker';

/** One restart, decided and described, to be written. */
export interface Restart {
  readonly id: string;
  /** When it was decided, by our clock. */
  readonly atMs: number;
  readonly workload: TrackedWorkload;
  readonly changes: readonly Change[];
  readonly baseline: Baseline;
  readonly strategy: StrategyName;
  readonly marker: TemplateMarker;
  /** The annotations that go onto the workload with it: baseline and last restart. */
  readonly annotations: Readonly<Record<string, string>>;
  /** A write of it was stored without its marker before: whether it is kept by now is asked by a dry run first. */
  readonly asksFirst?: boolean;
  /** A Deployment is paused with it, until then; its annotations say so. */
  readonly pausedUntilMs?: number;
}

export interface ApplyContext {
  readonly client: KubeClient;
  /** Throws a {@link NotLeadingError} unless this process holds the lease: asked before each write. */
  readonly assertLeading: () => void;
  /** What an object that was read by name says of itself. Throws a MalformedObjectError if it has no identity. */
  readonly read: (kind: WorkloadKindName, object: KubeObject) => WorkloadRecord;
  /** There is no right to write annotations alone. Where it is not set, that is an error. */
  readonly onAnnotationsRefused?: (kind: WorkloadKindName, error: ForbiddenError) => void;
}

/** The lease was lost between plan and write: whoever holds it now does the work. */
export class NotLeadingError extends RerollError {
  constructor() {
    super('this replica does not hold the lease and must not write', { code: 'NOT_LEADING' });
  }
}

/** What became of a restart. */
export type Applied =
  /** `did` completes "the workload was …". Without `resourceVersion` its annotations are not written, for want of a right. */
  | { readonly kind: 'written'; readonly did: string; readonly resourceVersion: string | undefined }
  /** It goes on by itself: a Job is deleted and created again over several steps. */
  | { readonly kind: 'under-way' }
  /** A dry run: nothing was written. */
  | { readonly kind: 'withheld' };

export type Apply = (context: ApplyContext, restart: Restart) => Promise<Applied>;
