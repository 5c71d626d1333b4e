import { objectOf } from '../shared/domain/kubernetes/json-value';
import { certificatesSecretName } from '../shared/kube/secrets/tls-secret-source';
import { leafNames, type CertificateNames } from './certificate-names';
import type { Material } from './material';
import { decodeMaterial, materialKeys, nothingStored, publishedTexts, type StoredMaterial } from './secret-data';
import { dataOf, textAt, type SecretData } from './secret-text';
import { fingerprintsOf } from './trusted-certificate';

/** The data that webhook and reconcilers read from the Secret `reroll-certs`. */
export interface Published {
  /** Fingerprints of the CAs that they trust. */
  readonly bundle: ReadonlySet<string>;
  /** Fingerprints of the certificates that they serve. */
  readonly leaves: ReadonlySet<string>;
}

/** Reads the Secret's `data`, which anyone may have written. */
export function decodePublished(data: unknown): Published {
  return {
    bundle: fingerprintsOf(textAt(data, 'ca.crt')),
    leaves: new Set(leafNames.flatMap((leaf) => [...fingerprintsOf(textAt(data, `${leaf}.crt`))])),
  };
}

/** The Secret's `data` for `material`, without any key of a CA, even if `previous` had one. Keys of others are kept. */
export function encodePublished(material: Material, previous: unknown): SecretData {
  return dataOf(publishedTexts(material), previous, materialKeys);
}

/** Whether `data` is what {@link encodePublished} writes. */
export function isPublished(material: Material, data: unknown): boolean {
  const texts = publishedTexts(material);
  const present = materialKeys.filter((key) => key in objectOf(data));
  return present.length === Object.keys(texts).length && present.every((key) => textAt(data, key) === texts[key]);
}

/**
 * The initial state if the Secret of the CA is empty. Normally it starts from nothing: an administrator who empties the
 * Secret after a leak wants the CA dropped at once. But if the published Secret still holds the CA's key, as it did
 * before there were two Secrets, this is an upgrade: that CA signs no more, and is trusted until no replica serves its
 * certificates.
 */
export function initialMaterial(published: unknown, names: CertificateNames): StoredMaterial {
  const { ca, nextCa, retired, generation } = decodeMaterial(published, names);
  if (!ca) return nothingStored;
  return {
    ...nothingStored,
    generation,
    retired: [ca, ...(nextCa ? [nextCa] : []), ...retired],
    problems: [`the key of the CA was in the Secret ${certificatesSecretName}, which others read`],
  };
}
