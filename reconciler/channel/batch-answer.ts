import { errorMessage, RerollError } from '../../shared/domain/errors';
import { parseChangeBatch } from '../../shared/domain/change-batch';
import type { ChannelStatus } from './channel-metrics';
import type { Receipt } from './inbox';

/** Where the records of a batch go. */
export interface RecordInbox {
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
export function answerBatch(body: Buffer, inbox: RecordInbox): Answer {
  let records: readonly unknown[];
  try {
    ({ records } = parseChangeBatch(JSON.parse(body.toString('utf8'))));
  } catch (thrown) {
    // The message of a SyntaxError quotes what it could not parse.
    const error = thrown instanceof RerollError ? errorMessage(thrown) : 'the body is not JSON';
    return { status: 400, body: { error } };
  }
  const { accepted, refused, full } = inbox.accept(records);
  return full
    ? { status: 429, headers: { 'retry-after': String(retryAfterSeconds) }, body: { accepted, refused } }
    : { status: 202, body: { accepted, refused } };
}
