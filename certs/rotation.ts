import { backdateMs } from './certificate';
import { leafNames, type LeafName } from './certificate-names';
import { phaseOf, type Material } from './material';
import type { StoredMaterial } from './secret-data';
import { isValidAt, type CertificateWithKey, type TrustedCertificate } from './trusted-certificate';

/** What API servers and replicas see. */
export interface LiveState {
  /** Fingerprints of the CAs in each of Reroll's caBundles, and in the published Secret. */
  readonly bundles: readonly ReadonlySet<string>[];
  /** Fingerprints of the certificates in the published Secret, which replicas serve. */
  readonly leaves: ReadonlySet<string>;
}

export type Step =
  | { readonly do: 'nothing'; readonly material: Material }
  | { readonly do: 'wait'; readonly because: string; readonly material: Material }
  | ChangingStep;

/** A step that writes the Secret. It carries everything that it depends on. */
export type ChangingStep = { readonly because: string } & (
  | { readonly do: 'create' }
  | { readonly do: 'renew-leaves'; readonly ca: CertificateWithKey; readonly leaves: readonly LeafName[] }
  | { readonly do: 'switch'; readonly nextCa: CertificateWithKey }
  | { readonly do: 'begin-overlap' | 'restart-wait' | 'retire' | 'tidy'; readonly material: Material }
);

/** How long an API server may take to see a new caBundle, and a replica to see a new Secret. */
const overlapMs = 60_000;

/** How long a replica may keep serving its old leaf; longer than any watch lags behind. */
const retireMs = 10 * 60_000;

/** Until then, the keeper that took the last step may be about to inject or publish its result. */
const injectionMs = 5_000;

/** A phase that starts further ahead than this was written by a wrong clock. */
const maxAheadMs = 10 * 60_000;

/**
 * The next step: repairs before renewals, renewals before rotations.
 *
 * The next CA signs only after every live bundle has held it for {@link overlapMs}, and the old one is dropped only
 * {@link retireMs} after the last of its leaves was replaced in the published Secret. So at any time the served leaf is
 * trusted by every bundle that an API server or another replica may still have. A renewal by the same CA does not
 * affect this. `live` is undefined while any part of it is unreadable.
 */
export function nextStep(stored: StoredMaterial, live: LiveState | undefined, nowMs: number): Step {
  const nextCa = validAt(stored.nextCa, nowMs);
  const ca = validAt(stored.ca, nowMs);
  if (!ca) {
    const because = stored.ca ? 'the CA is not valid now' : (stored.problems[0] ?? 'there are no certificates yet');
    // API servers trust the next CA already, or after the next injection: better than one that they have never seen.
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
  // Every step that writes this material restarts the wait.
  const material: Material = { generation, sinceMs: nowMs, ca, nextCa, retired, leaves: { webhook, channel, client } };
  const [problem] = stored.problems;
  if (problem !== undefined) return { do: 'tidy', material, because: problem };
  if (sinceMs > nowMs + maxAheadMs) return { do: 'tidy', material, because: '"state.json" is of a time to come' };
  if (stored.nextCa && !nextCa) return { do: 'tidy', material, because: 'the next CA is not valid now' };
  return phaseStep(material, nowMs - sinceMs, live) ?? renewal(material, nowMs) ?? rest(material, nowMs);
}

/** The next step of the phase, if it is due. */
function phaseStep(material: Material, ageMs: number, live: LiveState | undefined): ChangingStep | undefined {
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
      // Never injected, or overwritten since: an API server or a replica has yet to see the next CA.
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
  // A leaf that expires with its CA cannot be prolonged.
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

/** Whether two thirds of the certificate's life are over; the backdating does not count. */
function isDue({ notBeforeMs, notAfterMs }: TrustedCertificate, nowMs: number): boolean {
  const lifeMs = notAfterMs - (notBeforeMs + backdateMs);
  return nowMs >= notAfterMs - lifeMs / 3;
}

function validAt(certificate: CertificateWithKey | undefined, nowMs: number): CertificateWithKey | undefined {
  return certificate && isValidAt(certificate, nowMs) ? certificate : undefined;
}

function validLeaves({ leaves }: StoredMaterial, nowMs: number): StoredMaterial['leaves'] {
  return Object.fromEntries(Object.entries(leaves).filter(([, leaf]) => isValidAt(leaf, nowMs)));
}
