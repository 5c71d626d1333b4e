import { describeWorkload } from '../../shared/domain/plan/describe-change';
import { sourceKey } from '../../shared/domain/sources/source';
import type { EventRecorder } from '../../shared/kube/client/events';
import type { Logger } from '../../shared/runtime/log/logger';
import type { StoppedSource } from '../gates/restart-stages';
import { regardingSource, regardingWorkload } from './regarding';

export interface StopsOptions {
  readonly logger: Logger;
  readonly events: Pick<EventRecorder, 'record'>;
}

/** Reports that restarts for a source have stopped: in the log, and on the source and the workload that stopped them. */
export class Stops {
  readonly #options: StopsOptions;

  constructor(options: StopsOptions) {
    this.#options = options;
  }

  stopped({ source, record, failed, detail }: StoppedSource): void {
    const { logger, events } = this.#options;
    const workload = describeWorkload(failed.record);
    const command = `reroll resume ${source.kind.toLowerCase()}/${source.name} -n ${source.namespace}`;
    const message = `${detail}. Its other users keep the content of before. Change the source again, or run ${command}`;
    logger.warn(`restarts stopped: ${message}`, { source: sourceKey(source), workload });
    const all = [regardingWorkload(failed.record), ...(record ? [regardingSource(source, record.uid)] : [])];
    for (const regarding of all) {
      void events.record({ regarding, type: 'Warning', reason: 'RestartsStopped', message });
    }
  }
}
