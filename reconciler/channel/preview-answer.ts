import { parsePreviewQuestion, type PreviewAnswer, type PreviewQuestion } from '../../shared/domain/preview';
import type { Answer } from './batch-answer';
import { readJsonBody } from './json-body';

/** Who knows what a change would restart. */
export interface Foreseer {
  /** Undefined: another replica does. */
  preview(question: PreviewQuestion): PreviewAnswer | undefined;
}

/** Answers the body of `POST /v1/preview`: 200, or 503 where another replica is to be asked. Throws what is our own fault. */
export function answerPreview(body: Buffer, foreseer: Foreseer): Answer {
  const question = readJsonBody(body, parsePreviewQuestion);
  if ('error' in question) return { status: 400, body: question };
  const answer = foreseer.preview(question.value);
  return answer ? { status: 200, body: answer } : { status: 503, body: { error: 'this replica does not lead' } };
}
