import { RerollError } from '../../shared/domain/errors';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';

/** The API server stored a restart, or would store it, in a form that does not replace the pods. */
export class MarkerLostError extends RerollError {
  /** The version that was stored; undefined: the write was a dry run. */
  readonly resourceVersion: string | undefined;

  /** `missing`: the part of the restart that is missing. */
  constructor({ record }: TrackedWorkload, missing: string, resourceVersion: string | undefined) {
    super(
      `${record.kind} ${record.namespace}/${record.name} is not restarted: the API server accepts the write without ${missing}, ` +
        'so something that changes writes, such as a mutating webhook, removes it. Make it keep what field manager reroll ' +
        'writes, or choose another way to restart with reroll.dev/strategy',
      { code: 'MARKER_LOST' },
    );
    this.resourceVersion = resourceVersion;
  }
}
