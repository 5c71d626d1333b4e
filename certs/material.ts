import type { LeafName } from './certificate-names';
import type { HeldCertificate, TrustedCertificate } from './trusted-certificate';

/**
 * Where a rotation stands; each arrow is one write of the Secret.
 *
 *     steady ──▶ overlap ─────────▶ retiring ──────────────▶ steady
 *       CA due     next CA trusted    next CA has signed       old CA dropped
 *                  beside the old     every leaf
 */
export type Phase = 'steady' | 'overlap' | 'retiring';

/** All that the Secret holds. */
export interface Material {
  /** Of the CA that signs; grows by one with each. */
  readonly generation: number;
  /** Since when the phase lasts; of an overlap, since when every live caBundle is known to hold the next CA. */
  readonly sinceMs: number;
  /** Has signed every leaf. */
  readonly ca: HeldCertificate;
  readonly nextCa: HeldCertificate | undefined;
  /** CAs whose leaves a replica may still serve. */
  readonly retired: readonly TrustedCertificate[];
  readonly leaves: Readonly<Record<LeafName, HeldCertificate>>;
}

export function phaseOf({ nextCa, retired }: Pick<Material, 'nextCa' | 'retired'>): Phase {
  if (nextCa) return 'overlap';
  return retired.length > 0 ? 'retiring' : 'steady';
}

/** Everything to trust, the CA that signs first. */
export function bundleOf({ ca, nextCa, retired }: Pick<Material, 'ca' | 'nextCa' | 'retired'>): string {
  return [ca, ...(nextCa ? [nextCa] : []), ...retired].map(({ cert }) => cert).join('');
}
