import { errorMessage, RerollError } from '../../shared/domain/errors';
import type { KeyChanges } from '../../shared/domain/rollback/content-fields';
import type { KeptNote } from '../../shared/domain/rollback/kept-object';
import { maxHistoryKeys } from '../../shared/domain/protocol/history';
import { changeId } from '../../shared/domain/sources/change-id';
import {
  sourceId,
  sourceKey,
  type DigestedSource,
  type SourceKey,
  type SourceRecord,
} from '../../shared/domain/sources/source';
import { withoutMs } from '../../shared/domain/text/without-ms';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { EventRecorder } from '../../shared/kube/client/events';
import { KubeError } from '../../shared/kube/errors';
import type { Logger } from '../../shared/runtime/log/logger';
import type { Metrics } from '../metrics/metrics';
import { auditOfRollback } from './audit';
import { isForPerson } from './errors-for-people';
import { regardingSource, regardingWorkload } from './regarding';

export interface RollbackReportsOptions {
  readonly logger: Logger;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly metrics: Pick<Metrics, 'rollbacksTotal'>;
}

interface Stopped {
  readonly source: SourceRecord;
  /** The id of the change that is bad. */
  readonly change: string;
  /** Why its restarts have stopped. */
  readonly detail: string;
}

export interface RolledBack extends Stopped {
  readonly failed: WorkloadRecord;
  readonly kept: KeptNote;
  readonly keys: KeyChanges;
}

/** Reports contents that were put back, and those that were not: in the log, the metrics, and on the objects. */
export class RollbackReports {
  readonly #options: RollbackReportsOptions;
  /** What was reported last of each source: a failure is repeated for long. */
  readonly #told = new Map<SourceKey, string>();

  constructor(options: RollbackReportsOptions) {
    this.#options = options;
  }

  rolledBack({ source, change, detail, failed, kept, keys }: RolledBack): void {
    const { logger, events, metrics } = this.#options;
    const at = withoutMs(kept.at);
    const message =
      `Reroll put the content of change ${kept.change} back into ${source.kind} ${source.name} (kept at ${at}), ` +
      `because ${failed.kind} ${failed.name} was not healthy after change ${change}. ` +
      `If somebody writes the content of change ${change} again, Reroll restarts nothing for it`;
    const key = sourceKey(source);
    const { added, removed, changed } = keys;
    const named = [...added, ...removed, ...changed].sort().slice(0, maxHistoryKeys);
    const decided = { sources: [sourceId(source)], changes: [change], because: [detail], keys: named };
    logger.warn(`rolled back: ${message}`, auditOfRollback(failed, decided));
    metrics.rollbacksTotal.inc({ outcome: 'done' });
    this.#told.delete(key);
    for (const regarding of [regardingSource(source, source.uid), regardingWorkload(failed)]) {
      void events.record({ regarding, type: 'Warning', reason: 'RolledBack', message });
    }
  }

  /** It stays stopped. The same reason is reported once for each content. */
  notRolledBack({ source, change, detail, error }: Stopped & { readonly error: unknown }): void {
    if (!this.#isNew(source, `${change} ${codeOf(error)}`)) return;
    if (!isTransient(error)) this.#options.metrics.rollbacksTotal.inc({ outcome: 'failed' });
    this.#failed(source, `${detail}. No earlier content was put back: ${errorMessage(error)}`, error);
  }

  /** The content that works is not kept, so it cannot be put back. The same reason is reported once for each content. */
  notKept(source: DigestedSource, error: unknown): void {
    if (!this.#isNew(source, `kept ${changeId(source.uid, source.content.whole())} ${codeOf(error)}`)) return;
    const title = `${source.kind} ${source.name}`;
    this.#failed(
      source,
      `the content of ${title} is not kept, so it cannot be put back: ${errorMessage(error)}`,
      error,
    );
  }

  /** The source is gone. Those of somebody who creates and deletes them for weeks would fill the memory. */
  forget(source: SourceKey): void {
    this.#told.delete(source);
  }

  clear(): void {
    this.#told.clear();
  }

  #isNew(source: SourceRecord, what: string): boolean {
    const key = sourceKey(source);
    if (this.#told.get(key) === what) return false;
    this.#told.set(key, what);
    return true;
  }

  #failed(source: SourceRecord, message: string, error: unknown): void {
    const { logger, events } = this.#options;
    logger.warn(`rollback failed: ${message}`, { source: sourceKey(source), code: codeOf(error) });
    if (isTransient(error)) return;
    const regarding = regardingSource(source, source.uid);
    void events.record({ regarding, type: 'Warning', reason: 'RollbackFailed', message });
  }
}

/** Another attempt, without anybody's help, may succeed. */
function isTransient(error: unknown): boolean {
  return error instanceof KubeError && !isForPerson(error);
}

function codeOf(error: unknown): string {
  return error instanceof RerollError ? error.code : 'UNKNOWN';
}
