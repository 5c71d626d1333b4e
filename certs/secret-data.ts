import { X509Certificate } from 'node:crypto';
import * as z from 'zod';
import { objectOf } from '../shared/domain/kubernetes/json-value';
import { readBundle } from '../shared/runtime/tls/certificate-bundle';
import { leafNames, leafProfile, type CertificateNames, type LeafName } from './certificate-names';
import { bundleOf, phaseOf, type Material } from './material';
import { dataOf, textAt, type SecretData } from './secret-text';
import {
  matchesKey,
  allowsUsage,
  isValidForHost,
  isSignedBy,
  trustedCertificate,
  type CertificateWithKey,
} from './trusted-certificate';

/** The usable part of a Secret, and the problems with the rest. */
export interface StoredMaterial extends Pick<Material, 'generation' | 'nextCa' | 'retired'> {
  readonly sinceMs: number | undefined;
  readonly ca: CertificateWithKey | undefined;
  readonly leaves: Readonly<Partial<Record<LeafName, CertificateWithKey>>>;
  /** Each problem names its key, never its content. */
  readonly problems: readonly string[];
}

export const nothingStored: StoredMaterial = {
  generation: 0,
  sinceMs: undefined,
  ca: undefined,
  nextCa: undefined,
  retired: [],
  leaves: {},
  problems: [],
};

/** Keys of `data` that belong to Reroll. */
export const materialKeys: readonly string[] = ['state.json', 'ca.crt', 'ca.key', 'next-ca.crt', 'next-ca.key'].concat(
  leafNames.flatMap((leaf) => [`${leaf}.crt`, `${leaf}.key`]),
);

/**
 * Limit of CAs read from one key. A Secret of 1 MiB has room for some 900, which would block the process for 300 ms. We
 * write ten at most: the one that signs, the next one, and eight retired.
 */
const maxAuthorities = 32;

/** For people, and for facts that the certificates do not contain. */
const stateSchema = z.looseObject({ generation: z.int().nonnegative(), since: z.iso.datetime() });

/**
 * `data` of the Secret `reroll-ca` for `material`; keys of others in `previous` are kept.
 *
 *     state.json                {"v":1,"generation":…,"phase":…,"since":…}
 *     ca.crt ca.key             every CA to trust, the one that signs first; the key of that one
 *     next-ca.crt next-ca.key   during an overlap only
 *     <leaf>.crt <leaf>.key     for each of webhook, channel, client
 */
export function encodeMaterial(material: Material, previous: unknown): SecretData {
  const { generation, sinceMs, ca, nextCa } = material;
  const state = { v: 1, generation, phase: phaseOf(material), since: new Date(sinceMs).toISOString() };
  const texts = {
    'state.json': JSON.stringify(state),
    'ca.key': ca.key,
    ...(nextCa && { 'next-ca.crt': nextCa.cert, 'next-ca.key': nextCa.key }),
    ...publishedTexts(material),
  };
  return dataOf(texts, previous, materialKeys);
}

/** The part for webhook and reconcilers: CAs to trust, and the certificates that they serve, with their keys. */
export function publishedTexts(material: Material): Readonly<Record<string, string>> {
  const { leaves } = material;
  const texts = leafNames.flatMap((leaf) => [
    [`${leaf}.crt`, leaves[leaf].cert] as const,
    [`${leaf}.key`, leaves[leaf].key] as const,
  ]);
  return { 'ca.crt': bundleOf(material), ...Object.fromEntries(texts) };
}

/**
 * Reads the Secret's `data`, which anyone may have written. Parts that do not fit together are dropped and reported as
 * problems.
 */
export function decodeMaterial(data: unknown, names: CertificateNames): StoredMaterial {
  const present = objectOf(data);
  if (!materialKeys.some((key) => key in present)) return nothingStored;
  const text = (key: string): string => textAt(present, key);
  const problems: string[] = [];
  const state = readState(text('state.json'));
  if (!state) problems.push('"state.json" is unreadable');

  const bundle = readAuthorities(text('ca.crt'));
  const ca = heldOf(bundle, text('ca.key'));
  if (!ca) problems.push('"ca.key" is not the RSA key of a CA in "ca.crt"');
  const nextCa = heldOf(readAuthorities(text('next-ca.crt')), text('next-ca.key'));
  if (!nextCa && ('next-ca.crt' in present || 'next-ca.key' in present)) {
    problems.push('"next-ca.key" is not the RSA key of a CA in "next-ca.crt"');
  }
  const active = [ca?.fingerprint, nextCa?.fingerprint];
  const retired = bundle.map(trustedCertificate).filter(({ fingerprint }) => !active.includes(fingerprint));

  const leaves: Partial<Record<LeafName, CertificateWithKey>> = {};
  for (const leaf of leafNames) {
    const [x509] = readBundle(text(`${leaf}.crt`), 1);
    const problem = ca && leafProblem(leaf, x509, text(`${leaf}.key`), ca, names);
    if (problem !== undefined) problems.push(problem);
    else if (x509) leaves[leaf] = { ...trustedCertificate(x509), key: text(`${leaf}.key`) };
  }
  return { generation: state?.generation ?? 0, sinceMs: state?.sinceMs, ca, nextCa, retired, leaves, problems };
}

function readState(text: string): { readonly generation: number; readonly sinceMs: number } | undefined {
  try {
    const { generation, since } = stateSchema.parse(JSON.parse(text));
    return { generation, sinceMs: Date.parse(since) };
  } catch {
    return undefined;
  }
}

function readAuthorities(pem: string): readonly X509Certificate[] {
  return readBundle(pem, maxAuthorities).filter(({ ca }) => ca);
}

/** The CA that can sign with `key`. With a key that is not RSA, none can: node-forge knows no other. */
function heldOf(candidates: readonly X509Certificate[], key: string): CertificateWithKey | undefined {
  const x509 = candidates.find(
    (candidate) => matchesKey(candidate, key) && candidate.publicKey.asymmetricKeyType === 'rsa',
  );
  return x509 && { ...trustedCertificate(x509), key };
}

function leafProblem(
  leaf: LeafName,
  x509: X509Certificate | undefined,
  key: string,
  ca: CertificateWithKey,
  names: CertificateNames,
): string | undefined {
  if (!x509) return `"${leaf}.crt" holds no certificate`;
  if (!matchesKey(x509, key)) return `"${leaf}.key" is not the key of "${leaf}.crt"`;
  if (!isSignedBy(x509, new X509Certificate(ca.cert))) return `"${leaf}.crt" is not signed by the CA`;
  const { dnsNames, usage } = leafProfile(leaf, names);
  const missing = dnsNames.find((name) => !isValidForHost(x509, name));
  if (missing !== undefined) return `"${leaf}.crt" is not for ${missing}`;
  if (!allowsUsage(x509, usage)) return `"${leaf}.crt" is not for ${usage}`;
  return undefined;
}
