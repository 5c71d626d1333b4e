import * as z from 'zod';
import { checkReportSchema } from '../../cli/check/check-report';
import { lintReportSchema } from '../../cli/lint/lint-report';
import { migrateReportSchema } from '../../cli/migrate/migrate-report';
import { pauseReportSchema, resumeReportSchema } from '../../cli/pause/outcome-report';
import { previewReportSchema } from '../../cli/preview/preview-report';
import { rollbackReportSchema } from '../../cli/rollback/rollback-report';
import { auditLineSchema } from '../../shared/domain/protocol/audit-line';
import { healthInspectionSchema } from '../../shared/domain/protocol/health-inspection';
import { historyPageSchema } from '../../shared/domain/protocol/history';
import { inspectionProblemSchema } from '../../shared/domain/protocol/inspection-problem';
import { sourceInspectionSchema } from '../../shared/domain/protocol/source-inspection';
import { workloadInspectionSchema } from '../../shared/domain/protocol/workload-inspection';
import { workloadPageSchema } from '../../shared/domain/protocol/workload-page';

const schemas: Readonly<Record<string, z.ZodType>> = {
  // Answers of a reconciler to questions, and its line for an audit.
  'inspection-health': healthInspectionSchema,
  'inspection-history': historyPageSchema,
  'inspection-problem': inspectionProblemSchema,
  'inspection-source': sourceInspectionSchema,
  'inspection-workload': workloadInspectionSchema,
  'inspection-workloads': workloadPageSchema,
  'audit-line': auditLineSchema,
  // What commands print with `-o json`, unless it is the answer of a reconciler.
  'check-report': checkReportSchema,
  'lint-report': lintReportSchema,
  'migrate-report': migrateReportSchema,
  'pause-report': pauseReportSchema,
  'preview-report': previewReportSchema,
  'resume-report': resumeReportSchema,
  'rollback-report': rollbackReportSchema,
};

/** What programs read of Reroll, each as a file of docs/reference with a JSON Schema. */
export const schemaFiles: readonly { readonly file: string; readonly text: string }[] = Object.entries(schemas).map(
  ([name, schema]) => ({
    file: `docs/reference/${name}.schema.json`,
    text: `${JSON.stringify(z.toJSONSchema(schema), undefined, 2)}\n`,
  }),
);
