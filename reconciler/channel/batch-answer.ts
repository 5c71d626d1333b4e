import { parseChangeBatch } from '../../shared/domain/protocol/change-batch';
import type { ChannelStatus } from '../metrics/channel-metrics';
import type { Receipt } from '../hints/change-record-intake';
import { readJsonBody } from './json-body';

/** Receives the records of a batch. */
export interface RecordIntake {
  accept(records: readonly unknown[]): Receipt;
}

export interface Answer {
  readonly status: ChannelStatus;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body: object;
}

/** Enough time for the intake's bucket to hold more than a batch again. */
const retryAfterSeconds = 1;

/** Answers the body of `POST /v1/changes`. Throws only for our own errors. */
export function answerBatch(body: Buffer, inbox: RecordIntake): Answer {
  const batch = readJsonBody(body, parseChangeBatch);
  if ('error' in batch) return { status: 400, body: batch };
  const { accepted, refused, full } = inbox.accept(batch.value.records);
  return full
    ? { status: 429, headers: { 'retry-after': String(retryAfterSeconds) }, body: { accepted, refused } }
    : { status: 202, body: { accepted, refused } };
}
