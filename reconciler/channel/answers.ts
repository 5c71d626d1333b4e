import { errorMessage, RerollError } from '../../shared/domain/errors';
import type { ChannelPath } from '../../shared/domain/protocol/channel-names';
import { parseChangeBatch } from '../../shared/domain/protocol/change-batch';
import type { ChannelStatus } from '../metrics/channel-metrics';
import type { Receipt } from '../hints/change-record-intake';
import { type LintAnswer, parseLintQuestion } from '../../shared/domain/protocol/lint-answer';
import type { WorkloadQuestion } from '../../shared/domain/protocol/workload-question';
import {
  type MutationAnswer,
  type MutationQuestion,
  parseMutationQuestion,
} from '../../shared/domain/protocol/mutation-question';
import { parsePreviewQuestion, type PreviewAnswer, type PreviewQuestion } from '../../shared/domain/protocol/preview';

/**
 * Receives what the webhook sends to a reconciler. A question is answered with undefined if another replica must be
 * asked.
 */
export interface ChannelHandlers {
  accept(records: readonly unknown[]): Receipt;
  /** Which workloads a change would restart. */
  preview(question: PreviewQuestion): PreviewAnswer | undefined;
  /** What to add to a write of a workload. */
  mutate(question: MutationQuestion): Promise<MutationAnswer | undefined>;
  /** Mistakes in a workload's annotations. */
  lint(question: WorkloadQuestion): LintAnswer | undefined;
}

/** Answers a request, by path. Rejects only if our own code fails. */
export const channelAnswers: Readonly<
  Record<ChannelPath, (body: Buffer, handlers: ChannelHandlers) => Promise<Answer>>
> = {
  '/v1/changes': async (body, handlers) => await Promise.resolve(answerBatch(body, handlers)),
  '/v1/preview': async (body, handlers) =>
    await answerQuestion(body, parsePreviewQuestion, (asked) => handlers.preview(asked)),
  '/v1/marks': async (body, handlers) =>
    await answerQuestion(body, parseMutationQuestion, (asked) => handlers.mutate(asked)),
  '/v1/lint': async (body, handlers) => await answerQuestion(body, parseLintQuestion, (asked) => handlers.lint(asked)),
};

export interface Answer {
  readonly status: ChannelStatus;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Enough time for the intake's bucket to hold more than a batch again. */
const retryAfterSeconds = 1;

/** Synchronous, so that records count from the moment at which their batch has arrived. */
export function answerBatch(body: Buffer, handlers: Pick<ChannelHandlers, 'accept'>): Answer {
  const batch = readJsonBody(body, parseChangeBatch);
  if ('error' in batch) return { status: 400, body: batch };
  const { accepted, refused, full } = handlers.accept(batch.value.records);
  return full
    ? { status: 429, headers: { 'retry-after': String(retryAfterSeconds) }, body: { accepted, refused } }
    : { status: 202, body: { accepted, refused } };
}

/** Parses a body. If it cannot be parsed, returns a reason that may be sent to the client. */
export function readJsonBody<T>(
  body: Buffer,
  parse: (value: unknown) => T,
): { readonly value: T } | { readonly error: string } {
  try {
    return { value: parse(JSON.parse(body.toString('utf8'))) };
  } catch (thrown) {
    // The message of a SyntaxError quotes the text that could not be parsed.
    return { error: thrown instanceof RerollError ? errorMessage(thrown) : 'the body is not JSON' };
  }
}

async function answerQuestion<Question>(
  body: Buffer,
  parse: (value: unknown) => Question,
  ask: (question: Question) => Promise<object | undefined> | object | undefined,
): Promise<Answer> {
  const question = readJsonBody(body, parse);
  if ('error' in question) return { status: 400, body: question };
  const answer = await ask(question.value);
  return answer
    ? { status: 200, body: answer }
    : {
        status: 503,
        body: { error: 'this replica cannot answer: another one leads, or the first lists are not complete yet' },
      };
}
