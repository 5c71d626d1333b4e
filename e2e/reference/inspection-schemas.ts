import * as z from 'zod';
import { auditLineSchema } from '../../shared/domain/protocol/audit-line';
import { healthInspectionSchema } from '../../shared/domain/protocol/health-inspection';
import { historyPageSchema } from '../../shared/domain/protocol/history';
import { inspectionProblemSchema } from '../../shared/domain/protocol/inspection-problem';
import { sourceInspectionSchema } from '../../shared/domain/protocol/source-inspection';
import { workloadInspectionSchema } from '../../shared/domain/protocol/workload-inspection';
import { workloadPageSchema } from '../../shared/domain/protocol/workload-page';

const schemas = {
  health: healthInspectionSchema,
  history: historyPageSchema,
  problem: inspectionProblemSchema,
  source: sourceInspectionSchema,
  workload: workloadInspectionSchema,
  workloads: workloadPageSchema,
} as const;

/** The answers of a reconciler to questions, and its line for an audit, each as a file of docs/reference with a JSON Schema. */
export const inspectionSchemaFiles: readonly { readonly file: string; readonly text: string }[] = [
  ...Object.entries(schemas).map(([name, schema]) => schemaFile(`inspection-${name}`, schema)),
  schemaFile('audit-line', auditLineSchema),
];

function schemaFile(name: string, schema: z.ZodType): { readonly file: string; readonly text: string } {
  return {
    file: `docs/reference/${name}.schema.json`,
    text: `${JSON.stringify(z.toJSONSchema(schema), undefined, 2)}\n`,
  };
}
