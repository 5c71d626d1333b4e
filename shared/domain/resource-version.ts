/**
 * Whether a resource version was given out before another of the same resource. Versions of Kubernetes' own resources
 * are decimal numbers that grow (Kubernetes API concepts, "Resource versions"); of others nothing is concluded.
 */
export function isOlderVersion(version: string, than: string): boolean {
  return isDecimal(version) && isDecimal(than) && BigInt(version) < BigInt(than);
}

function isDecimal(version: string): boolean {
  return /^[1-9]\d*$/.test(version);
}
