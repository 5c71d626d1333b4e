import { describeWorkload } from '../../shared/domain/plan/describe-change';
import type { OnFailure } from '../../shared/domain/gate-settings/gate-settings';
import { sourceKey, type SourceRef } from '../../shared/domain/sources/source';
import type { EventRecorder } from '../../shared/kube/client/events';
import type { Logger } from '../../shared/runtime/log/logger';
import type { StoppedSource } from '../gates/stopped-source';
import { regardingSource, regardingWorkload } from './regarding';

export interface StopsOptions {
  readonly logger: Logger;
  readonly events: Pick<EventRecorder, 'record'>;
  /** Whether a content is kept that works, and whether it is put back. */
  readonly onFailure: (source: SourceRef) => OnFailure;
}

/** Reports that restarts for a source have stopped: in the log, and on the source and the workload that stopped them. */
export class Stops {
  readonly #options: StopsOptions;

  constructor(options: StopsOptions) {
    this.#options = options;
  }

  stopped({ source, record, failed, keepsOthers, detail }: StoppedSource): void {
    const { logger, events, onFailure } = this.#options;
    const named = `${source.kind.toLowerCase()}/${source.name} -n ${source.namespace}`;
    const others = failed ? 'other users' : 'users';
    const stillRun = `The ${others} of ${source.kind} ${source.name} still run with the previous content`;
    const back = `To put the kept content back, run reroll rollback ${named}`;
    const anyway = `To restart all ${others} with the new content anyway, run reroll resume ${named}`;
    const message = [
      detail,
      keepsOthers ? stillRun : 'No other user waits',
      failed ? 'Repair the workload or write a corrected content' : 'Write a corrected content',
      ...(onFailure(source) === 'keep' ? [back] : []),
      // Without others there is nothing to resume.
      ...(keepsOthers ? [anyway] : []),
    ].join('. ');
    logger.warn(`${keepsOthers ? 'restarts stopped' : 'not healthy since its restart'}: ${message}`, {
      source: sourceKey(source),
      ...(failed && { workload: describeWorkload(failed.record) }),
    });
    const all = [
      ...(failed ? [regardingWorkload(failed.record)] : []),
      ...(record ? [regardingSource(source, record.uid)] : []),
    ];
    for (const regarding of all) {
      void events.record({ regarding, type: 'Warning', reason: 'RestartsStopped', message });
    }
  }
}
