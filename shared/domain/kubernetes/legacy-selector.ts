/**
 * Reloader's older way to write a label selector, `key:value` and `key:*` or `key=*`, as a Kubernetes selector for
 * `parseSelector`. Other terms stay as they are. Elements are joined first and then cut into terms, since a list flag
 * may have cut `k in (a,b)` in two, and one quoted element may hold several terms.
 */
export function rewriteLegacySelector(elements: readonly string[]): string {
  return elements.join(',').split(',').map(rewriteTerm).join(',');
}

const legacyTerm = /^\s*(?<key>[^\s:=!(),<>]+)\s*(?:(?<colon>:)|=)\s*(?<value>[^:=]*?)\s*(?<rest>:.*)?$/;

function rewriteTerm(term: string): string {
  const { key = '', colon, value = '', rest } = legacyTerm.exec(term)?.groups ?? {};
  if (key === '' || (colon === undefined && (value !== '*' || rest !== undefined))) return term;
  return value === '*' ? key : `${key}=${value}`;
}
