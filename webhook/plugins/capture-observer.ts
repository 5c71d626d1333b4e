import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import type { ContentDigester } from '../../shared/domain/sources/content-digest';
import { isHistoryName } from '../../shared/domain/protocol/history';
import { sourceKey } from '../../shared/domain/sources/source';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import type { AdmissionRequest } from '../admission/admission-review';
import type { AdmissionObserver } from '../admission/admission-observers';
import { isOversized } from '../admission/written-source';
import { captureChange, capturedKind } from './capture-change';
import type { WebhookMetrics } from '../metrics';
import type { RecentChanges } from './recent-changes';

/** Of one change, in a line of the log. */
const maxLoggedKeys = 20;

export interface CaptureOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  readonly ownNamespace: string;
  readonly recent: RecentChanges;
  /** Undefined until the digest key is known. */
  readonly digester: () => ContentDigester | undefined;
  /** Queues a record for sending, without waiting. */
  readonly send: (record: ChangeRecord) => void;
}

/** Reports every change of a source to the reconcilers: who made it, and which keys changed. */
export function captureObserver(options: CaptureOptions): AdmissionObserver {
  const { clock, logger, metrics, ownNamespace, recent, digester: currentDigester, send } = options;
  return {
    name: 'capture',
    wants: (request) => capturedKind(request) !== undefined && !isOwnHistory(request, ownNamespace),
    run: (request) => {
      const kind = capturedKind(request);
      if (kind === undefined) return;
      const count = (result: string): void => metrics.recordsTotal.inc({ result });
      if (request.dryRun === true) {
        count('dry_run');
        return;
      }
      const digester = currentDigester();
      const captured =
        digester && !isOversized(request) ? captureChange(request, kind, digester, clock.nowMs()) : 'unnamed';
      if (captured === 'no_change') count('no_change');
      else if (captured === 'unnamed') count('dropped');
      else if (!recent.isNew(captured)) count('duplicate');
      else {
        count('sent');
        logCaptured(logger, captured);
        send(captured);
      }
    },
  };
}

/** The reconciler keeps its history there: it is no change that anybody made, and nothing uses it. */
function isOwnHistory({ kind, namespace, name }: AdmissionRequest, ownNamespace: string): boolean {
  return kind.kind === 'ConfigMap' && namespace === ownNamespace && isHistoryName(name ?? '');
}

/** The first line of a change: its id is in all that follows from it. */
function logCaptured(logger: Logger, { kind, namespace, name, change, user, manager, changed }: ChangeRecord): void {
  const source = sourceKey({ kind, namespace, name });
  const keys = [...changed.added, ...changed.changed, ...changed.removed].slice(0, maxLoggedKeys);
  logger.info(`${source} admitted`, { source, change, keys, user, manager });
}
