import * as z from 'zod';
import { budgets } from '../budgets';
import { RerollError } from '../errors';

/** The most records of one batch. */
export const maxBatchRecords = 100;

/** The largest body of one batch. */
export const maxBatchBytes = budgets.questionBytes;

const schema = z
  .object({
    v: z.literal(1),
    batch: z.string().min(1).max(64),
    records: z.array(z.unknown()).max(maxBatchRecords).readonly(),
  })
  .readonly();

/**
 * Records on their way to a reconciler. Each is validated separately, so a malformed one does not affect the others.
 */
export interface ChangeBatch {
  /**
   * The same on every retry: a batch whose answer was lost arrives twice. No decision depends on it, since a record that
   * arrives twice changes nothing. It is part of the wire format: webhooks send it, and reconcilers refuse a batch without it.
   */
  readonly batch: string;
  readonly records: readonly unknown[];
}

/** The body is not a batch of change records. */
export class ChangeBatchError extends RerollError {
  constructor(where: string, problem: string) {
    super(`invalid batch of change records: ${where}: ${problem}; webhook and reconciler must be of the same version`, {
      code: 'INVALID_CHANGE_BATCH',
    });
  }
}

/** Takes the parsed body of `POST /v1/changes`. @throws ChangeBatchError */
export function parseChangeBatch(value: unknown): ChangeBatch {
  const result = schema.safeParse(value);
  if (result.success) return { batch: result.data.batch, records: result.data.records };
  const [issue] = result.error.issues;
  throw new ChangeBatchError(issue?.path.map(String).join('.') || 'the batch', issue?.message ?? 'not accepted');
}

/** Builds the body of a batch from records in JSON, so that each record is serialised only once. */
export function changeBatchBody(batch: string, records: readonly string[]): Buffer {
  return Buffer.from(`{"v":1,"batch":${JSON.stringify(batch)},"records":[${records.join(',')}]}`);
}
