import { parseLintQuestion, type LintAnswer } from '../../shared/domain/protocol/lint-answer';
import type { WorkloadQuestion } from '../../shared/domain/protocol/workload-question';
import type { Answer } from './batch-answer';
import { answerQuestion } from './question-answer';

/** Finds mistakes in a workload's annotations, given flags and sources. */
export interface Linter {
  /** Undefined: another replica can answer. */
  lint(question: WorkloadQuestion): LintAnswer | undefined;
}

/** Answers the body of `POST /v1/lint`. */
export async function answerLint(body: Buffer, linter: Linter): Promise<Answer> {
  return await answerQuestion(body, parseLintQuestion, (question) => linter.lint(question));
}
