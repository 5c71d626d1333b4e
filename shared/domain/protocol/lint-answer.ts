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
          /** It rests on what is stored now, and what was stored a moment ago may not have been seen yet. */
          provisional: z.boolean(),
        })
        .readonly(),
      100,
    ),
  })
  .readonly();

/** What the leader says to `POST /v1/lint`, in the order in which it is to be told. */
export type LintAnswer = z.infer<typeof answerSchema>;

/** What arrived is no question. */
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

/** Undefined for what is no answer, of another version say: then there is nothing to tell. */
export function readLintAnswer(value: unknown): LintAnswer | undefined {
  return answerSchema.safeParse(value).data;
}
