import type { LeafName } from './certificate-names';
import type { CertificateWithKey, TrustedCertificate } from './trusted-certificate';

/**
 * The phase of a rotation; each arrow is one write of the Secret.
 *
 *     steady ──▶ overlap ─────────▶ retiring ──────────────▶ steady
 *       CA due     next CA trusted    next CA has signed       old CA dropped
 *                  beside the old     every leaf
 */
export type Phase = 'steady' | 'overlap' | 'retiring';

/** The content of the Secret. */
export interface Material {
  /** The number of signing CAs so far. */
  readonly generation: number;
  /** When the phase began. For an overlap: since when every live caBundle is known to hold the next CA. */
  readonly sinceMs: number;
  /** The CA that has signed every leaf. */
  readonly ca: CertificateWithKey;
  readonly nextCa: CertificateWithKey | undefined;
  /** CAs whose leaves a replica may still serve. */
  readonly retired: readonly TrustedCertificate[];
  readonly leaves: Readonly<Record<LeafName, CertificateWithKey>>;
}

export function phaseOf({ nextCa, retired }: Pick<Material, 'nextCa' | 'retired'>): Phase {
  if (nextCa) return 'overlap';
  return retired.length > 0 ? 'retiring' : 'steady';
}

/** All CAs to trust, the signing one first. */
export function bundleOf({ ca, nextCa, retired }: Pick<Material, 'ca' | 'nextCa' | 'retired'>): string {
  return [ca, ...(nextCa ? [nextCa] : []), ...retired].map(({ cert }) => cert).join('');
}
