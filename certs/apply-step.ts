import { assertNever } from '../shared/domain/errors';
import { randomHex } from '../shared/runtime/random';
import { issueAuthority, issueLeaf, type CertificatePair, type Issuing } from './certificate';
import { leafProfile, type CertificateNames, type LeafName } from './certificate-names';
import type { Material } from './material';
import type { ChangingStep } from './rotation';
import type { StoredMaterial } from './secret-data';
import { withKey, type CertificateWithKey, type TrustedCertificate } from './trusted-certificate';

/** Two keepers whose clocks differ could replace each other's CA forever, and the bundle must not grow with that. */
const maxRetired = 8;

export interface CertificateLifetimes {
  readonly caLifeMs: number;
  readonly leafLifeMs: number;
}

/** Creates keys and certificates at one instant. */
export interface Issuer extends Issuing {
  readonly names: CertificateNames;
  readonly lifetimes: CertificateLifetimes;
  readonly nowMs: number;
}

/** The next content of the Secret after `step`, which was decided on `stored`. */
export async function applyStep(step: ChangingStep, stored: StoredMaterial, issuer: Issuer): Promise<Material> {
  const { nowMs } = issuer;
  switch (step.do) {
    case 'create': {
      const generation = stored.generation + 1;
      const ca = await newAuthority(issuer, generation);
      // A replica keeps serving its old certificate until it sees this write.
      const retired = retiring(stored.ca, stored.nextCa, ...stored.retired);
      return { generation, sinceMs: nowMs, ca, nextCa: undefined, retired, leaves: await newLeaves(issuer, ca) };
    }
    case 'renew-leaves': {
      const { generation, nextCa, retired } = stored;
      const isKept = (leaf: string): boolean => !step.leaves.some((renewed) => renewed === leaf);
      const kept = Object.fromEntries(Object.entries(stored.leaves).filter(([leaf]) => isKept(leaf)));
      const leaves = await newLeaves(issuer, step.ca, kept);
      return { generation, sinceMs: stored.sinceMs ?? nowMs, ca: step.ca, nextCa, retired, leaves };
    }
    case 'switch': {
      const { nextCa } = step;
      return {
        generation: stored.generation + 1,
        sinceMs: nowMs,
        ca: nextCa,
        nextCa: undefined,
        retired: retiring(stored.ca, ...stored.retired),
        leaves: await newLeaves(issuer, nextCa),
      };
    }
    case 'begin-overlap':
      return { ...step.material, nextCa: await newAuthority(issuer, step.material.generation + 1) };
    case 'retire':
      return { ...step.material, retired: [] };
    case 'restart-wait':
    case 'tidy':
      return step.material;
    default:
      return assertNever(step, 'step of a rotation');
  }
}

async function newAuthority(issuer: Issuer, generation: number): Promise<CertificateWithKey> {
  const { random, nowMs, lifetimes } = issuer;
  const commonName = `reroll-ca-${String(generation)}-${randomHex(random, 8)}`;
  return withKey(await issueAuthority(issuer, { commonName, nowMs, lifeMs: lifetimes.caLifeMs }));
}

async function newLeaves(
  issuer: Issuer,
  ca: CertificatePair,
  kept: Readonly<Partial<Record<LeafName, CertificateWithKey>>> = {},
): Promise<Material['leaves']> {
  const newLeaf = async (leaf: LeafName): Promise<CertificateWithKey> => {
    const { names, nowMs, lifetimes } = issuer;
    const request = { commonName: `reroll-${leaf}`, nowMs, lifeMs: lifetimes.leafLifeMs, ...leafProfile(leaf, names) };
    return withKey(await issueLeaf(issuer, ca, request));
  };
  return {
    webhook: kept.webhook ?? (await newLeaf('webhook')),
    channel: kept.channel ?? (await newLeaf('channel')),
    client: kept.client ?? (await newLeaf('client')),
  };
}

/**
 * Includes CAs that are not valid now: our clock may be wrong, and API servers and replicas use their own. A CA that
 * has really expired does no harm in the few minutes until it is dropped.
 */
function retiring(...newestFirst: readonly (TrustedCertificate | undefined)[]): readonly TrustedCertificate[] {
  return newestFirst.flatMap((certificate) => certificate ?? []).slice(0, maxRetired);
}
