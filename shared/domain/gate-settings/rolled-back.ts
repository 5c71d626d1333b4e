/** More are forgotten, the oldest first. */
const maxRolledBack = 20;

/** Whether a text looks like the id of a change. */
export function isChangeId(text: string): boolean {
  return /^[0-9a-f]{8}$/.test(text);
}

/** Reads `reroll.dev/rolled-back`: ids of changes, the newest first. Undefined: it is something else. */
export function parseRolledBack(text: string): readonly string[] | undefined {
  const ids = text.split(',', maxRolledBack).map((id) => id.trim());
  return ids.every(isChangeId) ? ids : undefined;
}

/** The ids with one more, each once. */
export function withRolledBack(ids: readonly string[], added: string): readonly string[] {
  return [...new Set([added, ...ids])].slice(0, maxRolledBack);
}

/**
 * As {@link parseRolledBack} reads it. `kept` is what is put back: it was put back itself before, and has proved itself
 * since.
 * @example 'bbbbbbbb,aaaaaaaa'
 */
export function formatRolledBack(ids: readonly string[], kept: string): string {
  return ids.filter((id) => id !== kept).join(',');
}
