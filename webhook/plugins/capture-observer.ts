import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import type { ContentDigester } from '../../shared/domain/sources/content-digest';
import { isHistoryName } from '../../shared/domain/protocol/history';
import type { Clock } from '../../shared/runtime/clock';
import type { AdmissionRequest } from '../admission/admission-review';
import type { AdmissionObserver } from '../admission/admission-observers';
import { isOversized } from '../admission/written-source';
import type { AdmissionLog } from './admission-log';
import { captureChange, capturedKind } from './capture-change';
import type { WebhookMetrics } from '../metrics';
import type { RecentChanges } from './recent-changes';
import type { AdmissionTraces } from '../tracing/admission-traces';

export interface CaptureOptions {
  readonly clock: Clock;
  readonly log: Pick<AdmissionLog, 'admitted'>;
  readonly metrics: WebhookMetrics;
  readonly ownNamespace: string;
  readonly recent: RecentChanges;
  /** Undefined until the digest key is known. */
  readonly digester: () => ContentDigester | undefined;
  /** Queues a record for sending, without waiting. */
  readonly send: (record: ChangeRecord) => void;
  /** Undefined: no traces are sent. */
  readonly traces?: Pick<AdmissionTraces, 'admitted'> | undefined;
}

/** Reports every change of a source to the reconcilers: who made it, and which keys changed. */
export function captureObserver(options: CaptureOptions): AdmissionObserver {
  const { clock, log, metrics, ownNamespace, recent, digester: currentDigester, send, traces } = options;
  return {
    name: 'capture',
    wants: (request) => capturedKind(request) !== undefined && !isOwnHistory(request, ownNamespace),
    run: (request, receivedMs) => {
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
        log.admitted(captured);
        traces?.admitted(captured, receivedMs);
        send(captured);
      }
    },
  };
}

/** The reconciler keeps its history there: it is no change that anybody made, and nothing uses it. */
function isOwnHistory({ kind, namespace, name }: AdmissionRequest, ownNamespace: string): boolean {
  return kind.kind === 'ConfigMap' && namespace === ownNamespace && isHistoryName(name ?? '');
}
