/**
 * The fields of one CSV record, as Go's pflag reads the value of a list flag: `a,b` and `"a,b",c`. White space around a
 * field is dropped, which Go keeps. Undefined for a quote out of place.
 */
export function parseCsvRecord(text: string): readonly string[] | undefined {
  if (text.trim() === '') return [];
  const fields: string[] = [];
  // White space matches in one place only; an ambiguous pattern would backtrack before a quote after a lot of it.
  const field = /(?:\s*"(?<quoted>(?:[^"]|"")*)"\s*|(?<plain>[^",]*))(?<end>,|$)/y;
  for (;;) {
    const groups = field.exec(text)?.groups;
    if (!groups) return undefined;
    fields.push(groups['quoted']?.replaceAll('""', '"') ?? groups['plain']?.trim() ?? '');
    if (groups['end'] === '') return fields;
  }
}
