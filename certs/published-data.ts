import { objectOf } from '../shared/domain/kubernetes/json-value';
import { certificatesSecretName } from '../shared/kube/secrets/tls-secret-source';
import { leafNames, type CertificateNames } from './certificate-names';
import type { Material } from './material';
import { decodeMaterial, materialKeys, nothingStored, publishedTexts, type StoredMaterial } from './secret-data';
import { dataOf, textAt, type SecretData } from './secret-text';
import { fingerprintsOf } from './trusted-certificate';

/** What webhook and reconcilers find in the Secret `reroll-certs`. */
export interface Published {
  /** Fingerprints of the CAs that they trust. */
  readonly bundle: ReadonlySet<string>;
  /** Fingerprints of the certificates that they serve. */
  readonly leaves: ReadonlySet<string>;
}

/** Reads `data` of the Secret, whoever wrote it. */
export function decodePublished(data: unknown): Published {
  return {
    bundle: fingerprintsOf(textAt(data, 'ca.crt')),
    leaves: new Set(leafNames.flatMap((leaf) => [...fingerprintsOf(textAt(data, `${leaf}.crt`))])),
  };
}

/** `data` of the Secret for `material`: no key of a CA is in it, and one that was there is gone. Keys of others are kept. */
export function encodePublished(material: Material, previous: unknown): SecretData {
  return dataOf(publishedTexts(material), previous, materialKeys);
}

/** Whether `data` is what {@link encodePublished} would make of it. */
export function isPublished(material: Material, data: unknown): boolean {
  const texts = publishedTexts(material);
  const present = materialKeys.filter((key) => key in objectOf(data));
  return present.length === Object.keys(texts).length && present.every((key) => textAt(data, key) === texts[key]);
}

/**
 * What is to be gone on from when the Secret of the CA is empty. Nothing, so that an administrator who empties it after a
 * leak is rid of the CA at once. But where the CA's key is still in the published Secret, as it was before there were two,
 * the install is being upgraded: that CA signs no more, and is trusted until no replica serves a certificate of it.
 */
export function beforeTwoSecrets(published: unknown, names: CertificateNames): StoredMaterial {
  const { ca, nextCa, retired, generation } = decodeMaterial(published, names);
  if (!ca) return nothingStored;
  return {
    ...nothingStored,
    generation,
    retired: [ca, ...(nextCa ? [nextCa] : []), ...retired],
    problems: [`the key of the CA was in the Secret ${certificatesSecretName}, which others read`],
  };
}
