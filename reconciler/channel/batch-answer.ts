import { parseChangeBatch } from '../../shared/domain/protocol/change-batch';
import type { ChannelStatus } from '../metrics/channel-metrics';
import type { Receipt } from '../hints/change-record-intake';
import { readJsonBody } from './json-body';

/** Where the records of a batch go. */
export interface RecordIntake {
  accept(records: readonly unknown[]): Receipt;
}

export interface Answer {
  readonly status: ChannelStatus;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body: object;
}

/** Enough for the bucket of the inbox to hold more than a batch again. */
const retryAfterSeconds = 1;

/** Answers the body of `POST /v1/changes`. Throws what is our own fault. */
export function answerBatch(body: Buffer, inbox: RecordIntake): Answer {
  const batch = readJsonBody(body, parseChangeBatch);
  if ('error' in batch) return { status: 400, body: batch };
  const { accepted, refused, full } = inbox.accept(batch.value.records);
  return full
    ? { status: 429, headers: { 'retry-after': String(retryAfterSeconds) }, body: { accepted, refused } }
    : { status: 202, body: { accepted, refused } };
}
