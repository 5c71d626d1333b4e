import { attempt, promise, requireNoSecret, type Target } from '../target';
import { ChangeRecordError, parseChangeRecord } from '../../../shared/domain/protocol/change-record';
import { MalformedObjectError } from '../../../shared/domain/kubernetes/malformed-object-error';
import { captureChange, capturedKind } from '../../../webhook/plugins/capture-change';
import { markedRequest, sampleReviews } from '../reviews';
import { digester } from '../samples';

/** The change record that the webhook makes of a review. */
export const target: Target = {
  seeds: sampleReviews,
  maxBytes: 256 * 1024,
  run: (input) => {
    const request = markedRequest(input);
    const kind = request && capturedKind(request);
    if (!kind) return;
    const capture = () => captureChange(request, kind, digester, 1_767_225_600_000.5);
    const record = attempt(capture, MalformedObjectError, ChangeRecordError);
    if (typeof record !== 'object') return;
    requireNoSecret({ ...record, digest: '' }, 'a change record');
    const received = parseChangeRecord(JSON.parse(JSON.stringify(record)));
    promise(JSON.stringify(received) === JSON.stringify(record), 'a record arrives as it was sent');
  },
};
