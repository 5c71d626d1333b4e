/**
 * Parses one CSV record as Go's pflag parses the value of a list flag: `a,b` and `"a,b",c`. Unlike Go, it drops white
 * space around a field. Returns undefined for a quote out of place.
 */
export function parseCsvRecord(text: string): readonly string[] | undefined {
  if (text.trim() === '') return [];
  const fields: string[] = [];
  // White space matches in one place only. An ambiguous pattern would backtrack on much white space before a quote.
  const field = /(?:\s*"(?<quoted>(?:[^"]|"")*)"\s*|(?<plain>[^",]*))(?<end>,|$)/y;
  for (;;) {
    const groups = field.exec(text)?.groups;
    if (!groups) return undefined;
    fields.push(groups['quoted']?.replaceAll('""', '"') ?? groups['plain']?.trim() ?? '');
    if (groups['end'] === '') return fields;
  }
}
