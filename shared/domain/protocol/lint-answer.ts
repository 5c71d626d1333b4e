import * as z from 'zod';
import { RerollError } from '../errors';
import { listSchema } from './list-schema';
import { readWorkloadQuestion, type WorkloadQuestion } from './workload-question';

const answerSchema = z
  .object({
    v: z.literal(1),
    findings: listSchema(
      z
        .object({
          /** One line that names object, key, value and fix. */
          message: z.string().min(1).max(1_024),
          /** It depends on stored state, and the reconciler may not have seen the latest writes yet. */
          provisional: z.boolean(),
        })
        .readonly(),
      100,
    ),
  })
  .readonly();

/** The leader's answer to `POST /v1/lint`, in the order in which findings are shown. */
export type LintAnswer = z.infer<typeof answerSchema>;

/** The body is not a question. */
export class LintError extends RerollError {
  constructor() {
    super('invalid question about a workload; webhook and reconciler must be of the same version', {
      code: 'INVALID_LINT',
    });
  }
}

/** @throws LintError */
export function parseLintQuestion(value: unknown): WorkloadQuestion {
  const question = readWorkloadQuestion(value);
  if (!question) throw new LintError();
  return question;
}

/** Undefined for anything but a valid answer, such as one of another version: then there are no findings to show. */
export function readLintAnswer(value: unknown): LintAnswer | undefined {
  return answerSchema.safeParse(value).data;
}
