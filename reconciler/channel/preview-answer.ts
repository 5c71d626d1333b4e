import { RerollError, errorMessage } from '../../shared/domain/errors';
import { parsePreviewQuestion, type PreviewAnswer, type PreviewQuestion } from '../../shared/domain/preview';
import type { Answer } from './batch-answer';

/** Who knows what a change would restart. */
export interface Foreseer {
  /** Undefined: another replica does. */
  preview(question: PreviewQuestion): PreviewAnswer | undefined;
}

/** Answers the body of `POST /v1/preview`: 200, or 503 where another replica is to be asked. Throws what is our own fault. */
export function answerPreview(body: Buffer, foreseer: Foreseer): Answer {
  let question: PreviewQuestion;
  try {
    question = parsePreviewQuestion(JSON.parse(body.toString('utf8')));
  } catch (thrown) {
    // The message of a SyntaxError quotes what it could not parse.
    return {
      status: 400,
      body: { error: thrown instanceof RerollError ? errorMessage(thrown) : 'the body is not JSON' },
    };
  }
  const answer = foreseer.preview(question);
  return answer ? { status: 200, body: answer } : { status: 503, body: { error: 'this replica does not lead' } };
}
