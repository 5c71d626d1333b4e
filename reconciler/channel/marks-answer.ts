import { parseMarksQuestion, type MarksAnswer, type MarksQuestion } from '../../shared/domain/protocol/marks-question';
import type { Answer } from './batch-answer';
import { answerQuestion } from './question-answer';

/** Who knows what belongs into a write. */
export interface MarkGiver {
  /** Undefined: another replica does. */
  marks(question: MarksQuestion): Promise<MarksAnswer | undefined>;
}

/** Answers the body of `POST /v1/marks`. */
export async function answerMarks(body: Buffer, giver: MarkGiver): Promise<Answer> {
  return await answerQuestion(body, parseMarksQuestion, async (question) => await giver.marks(question));
}
