import type * as z from 'zod';
import { answerQuestion } from '../../reconciler/inspection/answer-question';
import { parseInspectionQuestion } from '../../shared/domain/protocol/inspection-question';
import { healthInspectionSchema } from '../../shared/domain/protocol/health-inspection';
import { inspectionProblemSchema } from '../../shared/domain/protocol/inspection-problem';
import { sourceInspectionSchema } from '../../shared/domain/protocol/source-inspection';
import { workloadInspectionSchema } from '../../shared/domain/protocol/workload-inspection';
import { workloadPageSchema } from '../../shared/domain/protocol/workload-page';
import type { Engine } from './harness';

/** The answer to a path, as text, and its status. */
export function asked({ reconciler }: Engine, path: string): { readonly status: number; readonly text: string } {
  const question = parseInspectionQuestion(path);
  if ('code' in question) throw new Error(question.message);
  const answer = answerQuestion(reconciler, question);
  if ('body' in answer) return { status: 200, text: answer.body.bytes.toString() };
  return { status: answer.status, text: JSON.stringify({ v: 1, ...answer.problem }) };
}

/** Reads an answer as its schema says. A field that the schema does not have is an error. */
function read<Schema extends z.ZodType>(schema: Schema, engine: Engine, path: string): z.output<Schema> {
  return schema.parse(JSON.parse(asked(engine, path).text));
}

export const inspected = {
  workload: (engine: Engine, path: string) => read(workloadInspectionSchema, engine, `/v1/workloads/${path}`),
  source: (engine: Engine, path: string) => read(sourceInspectionSchema, engine, `/v1/sources/${path}`),
  page: (engine: Engine, query = '') => read(workloadPageSchema, engine, `/v1/workloads${query}`),
  health: (engine: Engine) => read(healthInspectionSchema, engine, '/v1/health'),
  problem: (engine: Engine, path: string) => read(inspectionProblemSchema, engine, path),
};
