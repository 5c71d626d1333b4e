import * as z from 'zod';
import { RerollError } from '../errors';
import { listSchema } from './list-schema';
import { findWorkloadKind, type WorkloadKindName } from '../kubernetes/workload-kinds';
import type { WorkloadMarks } from '../marks/workload-marks';
import { readWorkloadQuestion, type WorkloadQuestion } from './workload-question';

/**
 * Asks what a write of a workload is to record, because its pods start after it: `POST /v1/marks`. Where the object has a
 * baseline, what has changed since is owed a restart, which may come with that write.
 */
export interface MutationQuestion extends WorkloadQuestion {
  readonly kind: WorkloadKindName;
}

const texts = z.record(z.string(), z.string()).readonly();
const envMark = z.object({ container: z.string(), name: z.string(), value: z.string() }).readonly();
const answerSchema = z
  .object({
    v: z.literal(1),
    annotations: texts,
    template: z.object({ annotations: texts, env: listSchema(envMark) }).readonly(),
  })
  .readonly();

/** What the leader says to a {@link MutationQuestion}. */
export type MutationAnswer = WorkloadMarks & { readonly v: 1 };

/** What arrived is no question. */
export class MutationError extends RerollError {
  constructor() {
    super('invalid question about marks; webhook and reconciler must be of the same version', {
      code: 'INVALID_MARKS',
    });
  }
}

/** @throws MutationError, also for a kind that is not restarted */
export function parseMutationQuestion(value: unknown): MutationQuestion {
  const question = readWorkloadQuestion(value);
  const kind = question && findWorkloadKind(question.group, question.kind);
  if (!kind) throw new MutationError();
  return { ...question, kind: kind.kind };
}

/** Undefined for what is no answer, of another version say: what a write keeps needs none. */
export function readMutationAnswer(value: unknown): MutationAnswer | undefined {
  return answerSchema.safeParse(value).data;
}
