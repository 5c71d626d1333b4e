import {
  parseMutationQuestion,
  type MutationAnswer,
  type MutationQuestion,
} from '../../shared/domain/protocol/mutation-question';
import type { Answer } from './batch-answer';
import { answerQuestion } from './question-answer';

/** Decides what to add to a write. */
export interface Mutator {
  /** Undefined: another replica can answer. */
  mutate(question: MutationQuestion): Promise<MutationAnswer | undefined>;
}

/** Answers the body of `POST /v1/marks`. */
export async function answerMutation(body: Buffer, mutator: Mutator): Promise<Answer> {
  return await answerQuestion(body, parseMutationQuestion, async (question) => await mutator.mutate(question));
}
