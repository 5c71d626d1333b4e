import { parsePreviewQuestion, type PreviewAnswer, type PreviewQuestion } from '../../shared/domain/protocol/preview';
import type { Answer } from './batch-answer';
import { answerQuestion } from './question-answer';

/** Predicts what a change would restart. */
export interface Previewer {
  /** Undefined: another replica can answer. */
  preview(question: PreviewQuestion): PreviewAnswer | undefined;
}

/** Answers the body of `POST /v1/preview`. */
export async function answerPreview(body: Buffer, previewer: Previewer): Promise<Answer> {
  return await answerQuestion(body, parsePreviewQuestion, (question) => previewer.preview(question));
}
