/** A semantic version without build metadata, which an image tag cannot contain. */
const form = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;

/** Whether a text is a version that a release can have. */
export function isVersion(text: string): boolean {
  const match = form.exec(text);
  // A numeric identifier has no leading zeros.
  return match !== null && !identifiers(match).some((identifier) => /^0\d+$/.test(identifier));
}

const identifiers = (match: RegExpExecArray): readonly string[] => match[4]?.split('.') ?? [];

/** Negative if `a` comes first, zero if both are the same: the precedence of Semantic Versioning 2.0.0, item 11. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [form.exec(a), form.exec(b)];
  if (!left || !right) throw new Error(`not both are versions: ${a}, ${b}`);
  for (const part of [1, 2, 3]) {
    const difference = Number(left[part]) - Number(right[part]);
    if (difference !== 0) return difference;
  }
  const [before, after] = [identifiers(left), identifiers(right)];
  // A pre-release comes before its release.
  if (before.length === 0 || after.length === 0) return after.length - before.length;
  for (const [index, identifier] of before.entries()) {
    const other = after[index];
    if (other === undefined) return 1;
    const difference = compareIdentifiers(identifier, other);
    if (difference !== 0) return difference;
  }
  return before.length - after.length;
}

function compareIdentifiers(a: string, b: string): number {
  const [first, second] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (first && second) return Number(a) - Number(b);
  if (first !== second) return first ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}
