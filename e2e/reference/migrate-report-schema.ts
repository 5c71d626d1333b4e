import * as z from 'zod';
import { migrateReportSchema } from '../../cli/migrate/migrate-report';

/** The text of docs/reference/migrate-report.schema.json: what `reroll migrate -o json` prints, as a JSON Schema. */
export function migrateReportSchemaText(): string {
  return `${JSON.stringify(z.toJSONSchema(migrateReportSchema), undefined, 2)}\n`;
}
