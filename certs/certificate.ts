import { generateKeyPair, sign } from 'node:crypto';
import forge from 'node-forge';
import type { Random } from '../shared/runtime/random';
import { promisify } from 'node:util';

/** PEM: SPKI and PKCS#8. */
export interface KeyPair {
  readonly publicPem: string;
  readonly privatePem: string;
}

/** The source of new keys. It is passed in, because generating one takes real time and real randomness. */
export interface KeyPairs {
  generate(): Promise<KeyPair>;
}

/**
 * RSA, which every API server accepts. Generated off the event loop: node-forge's own generator would block it for
 * seconds.
 */
export const rsaKeyPairs: KeyPairs = {
  async generate() {
    const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    return { publicPem: publicKey, privatePem: privateKey };
  },
};

/** A certificate and its private key, both PEM. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

export interface Issuing {
  readonly keyPairs: KeyPairs;
  readonly random: Random;
}

export interface AuthorityRequest {
  /** Must differ between generations: if a bundle has two CAs with one name, OpenSSL may try only the wrong one. */
  readonly commonName: string;
  readonly nowMs: number;
  readonly lifeMs: number;
}

export type LeafUsage = 'serverAuth' | 'clientAuth';

export interface LeafRequest extends AuthorityRequest {
  /** The effective names: Kubernetes ignores the common name. */
  readonly dnsNames: readonly string[];
  readonly usage: LeafUsage;
}

/** Certificates are valid from a little before now, so that a peer whose clock is behind accepts them. */
export const backdateMs = 60 * 60_000;

const dnsNameType = 2;

/** A CA that signs itself and leaves, but no other CA. */
export async function issueAuthority(issuing: Issuing, request: AuthorityRequest): Promise<CertificatePair> {
  const { certificate, key } = await unsigned(issuing, request);
  certificate.setIssuer(certificate.subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', critical: true, cA: true, pathLenConstraint: 0 },
    { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true },
    { name: 'subjectKeyIdentifier' },
    keyIdentifierOf(certificate),
  ]);
  return signed(certificate, key, key);
}

/** A leaf for one purpose, signed by `authority` and never valid longer than it. */
export async function issueLeaf(
  issuing: Issuing,
  authority: CertificatePair,
  request: LeafRequest,
): Promise<CertificatePair> {
  const issuer = forge.pki.certificateFromPem(authority.cert);
  const { certificate, key } = await unsigned(issuing, request);
  if (certificate.validity.notAfter > issuer.validity.notAfter) {
    certificate.validity.notAfter = issuer.validity.notAfter;
  }
  certificate.setIssuer(issuer.subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', critical: true, cA: false },
    { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: true },
    { name: 'extKeyUsage', [request.usage]: true },
    { name: 'subjectAltName', altNames: request.dnsNames.map((value) => ({ type: dnsNameType, value })) },
    { name: 'subjectKeyIdentifier' },
    keyIdentifierOf(issuer),
  ]);
  return signed(certificate, key, authority.key);
}

async function unsigned({ keyPairs, random }: Issuing, { commonName, nowMs, lifeMs }: AuthorityRequest) {
  const pair = await keyPairs.generate();
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(pair.publicPem);
  // The leading 01 keeps the number positive: with the top bit set it would be negative in DER, which Go rejects.
  certificate.serialNumber = `01${random.bytes(15).toString('hex')}`;
  certificate.validity.notBefore = new Date(nowMs - backdateMs);
  certificate.validity.notAfter = new Date(nowMs + lifeMs);
  certificate.setSubject([{ name: 'commonName', value: commonName }]);
  return { certificate, key: pair.privatePem };
}

/**
 * Distinguishes the issuers in one bundle. In a CA that others have made, the identifier need not be the SHA-1 of the
 * key, and a leaf with another identifier counts as signed by another CA.
 */
function keyIdentifierOf(issuer: forge.pki.Certificate): object {
  const named = issuer.getExtension('subjectKeyIdentifier') as { readonly subjectKeyIdentifier?: string } | null;
  const ofKey = issuer.generateSubjectKeyIdentifier().getBytes();
  const keyIdentifier =
    named?.subjectKeyIdentifier === undefined ? ofKey : forge.util.hexToBytes(named.subjectKeyIdentifier);
  return { name: 'authorityKeyIdentifier', keyIdentifier };
}

function signed(certificate: forge.pki.Certificate, key: string, signingKey: string): CertificatePair {
  // Node signs the certificate that forge has built: forge's own RSA blocks the process, on some versions of Node for
  // seconds.
  const native: Pick<forge.pki.rsa.PrivateKey, 'sign'> = {
    sign: () => sign('sha256', toBeSigned(certificate), signingKey).toString('latin1'),
  };
  certificate.sign(native as forge.pki.rsa.PrivateKey, forge.md.sha256.create());
  return { cert: withNewlines(forge.pki.certificateToPem(certificate)), key };
}

/** forge sets `tbsCertificate` before it calls the key's `sign`. */
function toBeSigned(certificate: forge.pki.Certificate): Buffer {
  return Buffer.from(forge.asn1.toDer(certificate.tbsCertificate).getBytes(), 'latin1');
}

/** Joined PEMs must each end with a newline, and forge writes CRLF. */
function withNewlines(pem: string): string {
  return `${pem.replaceAll('\r\n', '\n').trimEnd()}\n`;
}
