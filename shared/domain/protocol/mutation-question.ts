import * as z from 'zod';
import { RerollError } from '../errors';
import { listSchema } from './list-schema';
import { findWorkloadKind, type WorkloadKindName } from '../kubernetes/workload-kinds';
import type { WorkloadMarks } from '../marks/workload-marks';
import { readWorkloadQuestion, type WorkloadQuestion } from './workload-question';

/**
 * Asks what to record with a write of a workload, because its pods start after it: `POST /v1/marks`. If the object has
 * a baseline and its sources have changed since, the workload still needs a restart, which may be part of this write.
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

/** The leader's answer to a {@link MutationQuestion}. */
export type MutationAnswer = WorkloadMarks & { readonly v: 1 };

/** The body is not a question. */
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

/** Undefined for anything but a valid answer, such as one of another version: carrying marks over needs no answer. */
export function readMutationAnswer(value: unknown): MutationAnswer | undefined {
  return answerSchema.safeParse(value).data;
}
