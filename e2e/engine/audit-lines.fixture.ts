import { auditLineSchema, type AuditLine } from '../../shared/domain/protocol/audit-line';
import { jsonLine } from '../../shared/runtime/log/log-line';
import type { Engine } from './harness';

/** The lines for an audit that an engine wrote, read by their schema. */
export function auditLines({ lines }: Engine): readonly AuditLine[] {
  return lines
    .filter(({ fields }) => fields['audit'] === true)
    .map(({ level, message, fields }) =>
      auditLineSchema.parse(JSON.parse(jsonLine({ timeMs: 0, level, message, fields }))),
    );
}
