import * as z from 'zod';
import { healthInspectionSchema } from '../../shared/domain/protocol/health-inspection';
import { inspectionProblemSchema } from '../../shared/domain/protocol/inspection-problem';
import { sourceInspectionSchema } from '../../shared/domain/protocol/source-inspection';
import { workloadInspectionSchema } from '../../shared/domain/protocol/workload-inspection';
import { workloadPageSchema } from '../../shared/domain/protocol/workload-page';

const schemas = {
  health: healthInspectionSchema,
  problem: inspectionProblemSchema,
  source: sourceInspectionSchema,
  workload: workloadInspectionSchema,
  workloads: workloadPageSchema,
} as const;

/** The answers of a reconciler to questions, each as a file of docs/reference with a JSON Schema. */
export const inspectionSchemaFiles: readonly { readonly file: string; readonly text: string }[] = Object.entries(
  schemas,
).map(([name, schema]) => ({
  file: `docs/reference/inspection-${name}.schema.json`,
  text: `${JSON.stringify(z.toJSONSchema(schema), undefined, 2)}\n`,
}));
