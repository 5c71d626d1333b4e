/**
 * Whether a resource version was issued before another of the same resource. Versions of Kubernetes' own resources are
 * decimal numbers that grow (Kubernetes API concepts, "Resource versions"). Versions in other formats are not compared.
 */
export function isOlderVersion(version: string, than: string): boolean {
  return isDecimal(version) && isDecimal(than) && BigInt(version) < BigInt(than);
}

/** The version before this one, which may belong to another object; undefined if it is not a number or is the first. */
export function versionBefore(version: string): string | undefined {
  return isDecimal(version) && version !== '1' ? String(BigInt(version) - 1n) : undefined;
}

/** Whether no version is older than the one before it in the list; false if one of them is not a number. */
export function areInOrder(versions: readonly string[]): boolean {
  return (
    versions.every(isDecimal) && versions.every((version, index) => !isOlderVersion(version, versions[index - 1] ?? ''))
  );
}

function isDecimal(version: string): boolean {
  return /^[1-9]\d*$/.test(version);
}
