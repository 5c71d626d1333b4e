import * as z from 'zod';
import { lintReportSchema } from '../../cli/lint/lint-report';

/** The text of docs/reference/lint-report.schema.json: what `reroll lint -o json` prints, as a JSON Schema. */
export function lintReportSchemaText(): string {
  return `${JSON.stringify(z.toJSONSchema(lintReportSchema), undefined, 2)}\n`;
}
