import { promise, type Target } from '../target';
import { parseCsvRecord } from '../../../shared/runtime/options/csv-record';

/** The value of a list flag. */
export const target: Target = {
  seeds: ['a,b', '"a,b",c', '"x ""y""", z ', ',,'],
  // The limit that the target `options` has for a whole command line.
  maxBytes: 16 * 1024,
  run: (input) => {
    const fields = parseCsvRecord(input.toString('utf8'));
    if (!fields || fields.length === 0) return;
    const written = fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(',');
    promise(JSON.stringify(parseCsvRecord(written)) === JSON.stringify(fields), 'fields are read as they were written');
  },
};
