/**
 * Whether a resource version was given out before another of the same resource. Versions of Kubernetes' own resources
 * are decimal numbers that grow (Kubernetes API concepts, "Resource versions"); of others nothing is concluded.
 */
export function isOlderVersion(version: string, than: string): boolean {
  return isDecimal(version) && isDecimal(than) && BigInt(version) < BigInt(than);
}

/** The version before one, of whichever object that was; undefined if it is no number, or the first. */
export function versionBefore(version: string): string | undefined {
  return isDecimal(version) && version !== '1' ? String(BigInt(version) - 1n) : undefined;
}

/** Whether each was given out with the one before it or later; false if one of them is no number. */
export function areInOrder(versions: readonly string[]): boolean {
  return (
    versions.every(isDecimal) && versions.every((version, index) => !isOlderVersion(version, versions[index - 1] ?? ''))
  );
}

function isDecimal(version: string): boolean {
  return /^[1-9]\d*$/.test(version);
}
