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
    const back = onFailure(source) === 'keep' ? [`reroll rollback ${named}`] : [];
    // Without others there is nothing to resume.
    const commands = keepsOthers ? [`reroll resume ${named}`, ...back] : back;
    const orRun = commands.length === 0 ? '' : `, or run ${commands.join(' or ')}`;
    const users = failed ? 'Its other users' : 'Its users';
    const others = keepsOthers ? `${users} keep the content of before.` : 'No other user waits.';
    const message = `${detail}. ${others} Change the source again${orRun}`;
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
