import { backdateMs } from './certificate';
import { leafNames, type LeafName } from './certificate-names';
import { phaseOf, type Material } from './material';
import type { StoredMaterial } from './secret-data';
import { isValidAt, type HeldCertificate, type TrustedCertificate } from './trusted-certificate';

/** What the others go by now. */
export interface Live {
  /** Fingerprints of the CAs in each caBundle of ours, and in the published Secret. */
  readonly bundles: readonly ReadonlySet<string>[];
  /** Fingerprints of the certificates in the published Secret: those that replicas serve. */
  readonly leaves: ReadonlySet<string>;
}

export type Step =
  | { readonly do: 'nothing'; readonly material: Material }
  | { readonly do: 'wait'; readonly because: string; readonly material: Material }
  | ChangingStep;

/** A step that ends in a write of the Secret. It carries all that it builds on. */
export type ChangingStep = { readonly because: string } & (
  | { readonly do: 'create' }
  | { readonly do: 'renew-leaves'; readonly ca: HeldCertificate; readonly leaves: readonly LeafName[] }
  | { readonly do: 'switch'; readonly nextCa: HeldCertificate }
  | { readonly do: 'begin-overlap' | 'restart-wait' | 'retire' | 'tidy'; readonly material: Material }
);

/** How long each API server of a cluster may take to hear of a new caBundle, and each replica of a new Secret. */
export const overlapMs = 60_000;

/** How long a replica may go on serving the leaf it had; beyond the time that any watch is behind. */
export const retireMs = 10 * 60_000;

/** Until then whoever took the last step may be about to inject or publish what came of it. */
const injectionMs = 5_000;

/** A phase that began later than this was written by a clock that was wrong. */
const maxAheadMs = 10 * 60_000;

/**
 * What is owed now: mending before renewing, renewing before rotating.
 *
 * The next CA signs only once every live bundle has held it for {@link overlapMs}, and the old one is dropped only
 * {@link retireMs} after the last of its leaves was replaced in the published Secret. So at every instant the leaf that is
 * served is trusted, by whatever bundle an API server or another replica may still have. A leaf that the same CA signs
 * anew changes nothing about that. `live` is undefined while any part of it cannot be read.
 */
export function nextStep(stored: StoredMaterial, live: Live | undefined, nowMs: number): Step {
  const nextCa = validAt(stored.nextCa, nowMs);
  const ca = validAt(stored.ca, nowMs);
  if (!ca) {
    const because = stored.ca ? 'the CA is not valid now' : (stored.problems[0] ?? 'there are no certificates yet');
    // API servers trust the next CA already, or will at the next injection: better than one they never heard of.
    return nextCa ? { do: 'switch', nextCa, because } : { do: 'create', because };
  }
  const leaves = validLeaves(stored, nowMs);
  const missing = leafNames.filter((leaf) => !leaves[leaf]);
  const { webhook, channel, client } = leaves;
  if (!webhook || !channel || !client) {
    const because = stored.problems[0] ?? `not valid now: ${missing.join(', ')}`;
    return { do: 'renew-leaves', ca, leaves: missing, because };
  }
  const { generation, retired } = stored;
  const sinceMs = stored.sinceMs ?? Infinity;
  // Whatever is written of it begins a wait of its own.
  const material: Material = { generation, sinceMs: nowMs, ca, nextCa, retired, leaves: { webhook, channel, client } };
  const [problem] = stored.problems;
  if (problem !== undefined) return { do: 'tidy', material, because: problem };
  if (sinceMs > nowMs + maxAheadMs) return { do: 'tidy', material, because: '"state.json" is of a time to come' };
  if (stored.nextCa && !nextCa) return { do: 'tidy', material, because: 'the next CA is not valid now' };
  return phaseStep(material, nowMs - sinceMs, live) ?? renewal(material, nowMs) ?? rest(material, nowMs);
}

/** What the phase asks for, once its time has come. */
function phaseStep(material: Material, ageMs: number, live: Live | undefined): ChangingStep | undefined {
  const { nextCa, leaves } = material;
  switch (phaseOf(material)) {
    case 'steady':
      return undefined;
    case 'overlap': {
      if (!nextCa || !live) return undefined;
      if (live.bundles.every((bundle) => bundle.has(nextCa.fingerprint))) {
        if (ageMs < overlapMs) return undefined;
        return { do: 'switch', nextCa, because: 'every live bundle holds the next CA' };
      }
      // Never injected, or overwritten since: an API server or a replica has yet to hear of the next CA.
      if (ageMs < injectionMs) return undefined;
      return { do: 'restart-wait', material, because: 'a live bundle does not hold the next CA' };
    }
    case 'retiring':
      if (!live) return undefined;
      if (!leafNames.every((leaf) => live.leaves.has(leaves[leaf].fingerprint))) {
        if (ageMs < injectionMs) return undefined;
        return { do: 'restart-wait', material, because: 'the new certificates have yet to be published' };
      }
      if (ageMs < retireMs) return undefined;
      return { do: 'retire', material, because: 'no replica serves a certificate of the old CA any more' };
  }
}

function renewal({ ca, leaves }: Material, nowMs: number): ChangingStep | undefined {
  // One that ends with its CA cannot be made to last longer.
  const due = leafNames.filter((leaf) => isDue(leaves[leaf], nowMs) && leaves[leaf].notAfterMs < ca.notAfterMs);
  if (due.length === 0) return undefined;
  return { do: 'renew-leaves', ca, leaves: due, because: 'a third of the life is left' };
}

function rest(material: Material, nowMs: number): Step {
  switch (phaseOf(material)) {
    case 'overlap':
      return {
        do: 'wait',
        material,
        because: 'the next CA is to be in every live bundle for a while before it signs',
      };
    case 'retiring':
      return { do: 'wait', material, because: 'a replica may still serve a certificate of the old CA' };
    case 'steady':
      if (!isDue(material.ca, nowMs)) return { do: 'nothing', material };
      return { do: 'begin-overlap', material, because: 'a third of the life of the CA is left' };
  }
}

/** Two thirds of a certificate's own life are over. */
function isDue({ notBeforeMs, notAfterMs }: TrustedCertificate, nowMs: number): boolean {
  const lifeMs = notAfterMs - (notBeforeMs + backdateMs);
  return nowMs >= notAfterMs - lifeMs / 3;
}

function validAt(certificate: HeldCertificate | undefined, nowMs: number): HeldCertificate | undefined {
  return certificate && isValidAt(certificate, nowMs) ? certificate : undefined;
}

function validLeaves({ leaves }: StoredMaterial, nowMs: number): StoredMaterial['leaves'] {
  return Object.fromEntries(Object.entries(leaves).filter(([, leaf]) => isValidAt(leaf, nowMs)));
}
