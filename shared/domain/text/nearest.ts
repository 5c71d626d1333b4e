/** The candidate that `word` is probably a typo of; undefined if none is near enough for a "did you mean". */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const allowed = Math.max(1, Math.floor(candidate.length / 3));
    // Skips the distance matrix for words that are too long to match; `word` may have any length.
    if (Math.abs(candidate.length - lower.length) > allowed) continue;
    const distance = editDistance(lower, candidate.toLowerCase());
    if (distance <= allowed && (!best || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Levenshtein distance, one row of the matrix at a time; a swap of two adjacent letters counts as one edit. */
function editDistance(from: string, to: string): number {
  const [letters, others] = [Array.from(from), Array.from(to)];
  let before: readonly number[] = [];
  let row = Array.from({ length: others.length + 1 }, (_, index) => index);
  for (const [i, letter] of letters.entries()) {
    const next = [i + 1];
    for (const [j, other] of others.entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      const isSwapped = i > 0 && j > 0 && letter === others[j - 1] && letters[i - 1] === other;
      const swapped = isSwapped ? (before[j - 1] ?? 0) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}
