import { RerollError } from '../../shared/domain/errors';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';

/** What the API server stored of a restart, or would store, does not replace the pods. */
export class MarkerLostError extends RerollError {
  /** Of what was stored; undefined: it was asked for by a dry run. */
  readonly resourceVersion: string | undefined;

  /** `missing`: what of the restart is not there. */
  constructor({ record }: TrackedWorkload, missing: string, resourceVersion: string | undefined) {
    super(
      `${record.kind} ${record.namespace}/${record.name} is not restarted: the API server accepts the write without ${missing}, ` +
        'so something that changes writes, such as a mutating webhook, takes it out. Let it keep what field manager reroll ' +
        'writes, or choose another way to restart with reroll.dev/strategy',
      { code: 'MARKER_LOST' },
    );
    this.resourceVersion = resourceVersion;
  }
}
