import {
  parseMutationQuestion,
  type MutationAnswer,
  type MutationQuestion,
} from '../../shared/domain/protocol/mutation-question';
import type { Answer } from './batch-answer';
import { answerQuestion } from './question-answer';

/** Who knows what belongs into a write. */
export interface Mutator {
  /** Undefined: another replica does. */
  marks(question: MutationQuestion): Promise<MutationAnswer | undefined>;
}

/** Answers the body of `POST /v1/marks`. */
export async function answerMutation(body: Buffer, giver: Mutator): Promise<Answer> {
  return await answerQuestion(body, parseMutationQuestion, async (question) => await giver.marks(question));
}
