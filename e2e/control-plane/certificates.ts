import { generateKeyPair, randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { asn1, md, pki } from 'node-forge';

/** A certificate and its private key, both PEM. */
export interface Identity {
  readonly certPem: string;
  readonly keyPem: string;
}

/** An RSA key pair, both PEM. */
export interface KeyPair {
  readonly publicPem: string;
  readonly privatePem: string;
}

/** What a leaf certificate is for. */
export interface LeafRequest {
  /** Kubernetes reads the common name as the user name. */
  readonly commonName: string;
  /** Kubernetes reads organizations as group names. */
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
}

/** An authority that lives as long as one control plane and signs its servers and users. */
export interface CertificateAuthority {
  readonly caPem: string;
  readonly keyPem: string;
  issue(request: LeafRequest): Promise<Identity>;
}

const dayMs = 24 * 60 * 60 * 1000;
const lifetimeMs = 30 * dayMs;
/** Certificates are valid from a little before now, so they stay valid if the clock is set back by less than this. */
const backdateMs = 5 * 60 * 1000;

const sanType = { dns: 2, ip: 7 } as const;

/** Generates a key off the event loop: node-forge's own generator would block it for seconds. */
export async function generateRsaKeyPair(): Promise<KeyPair> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicPem: publicKey, privatePem: privateKey };
}

/** What a key is for. */
export type KeyUse = 'authority' | 'server' | 'user';

/** Creates a self-signed authority. */
export async function createAuthority(
  commonName: string,
  keyPairFor: (use: KeyUse) => Promise<KeyPair> = generateRsaKeyPair,
): Promise<CertificateAuthority> {
  const pair = await keyPairFor('authority');
  const subject = [{ name: 'commonName', value: commonName }];
  const ca = unsignedCertificate(pair, subject);
  ca.setIssuer(subject);
  ca.setExtensions([
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    { name: 'subjectKeyIdentifier' },
  ]);
  signNatively(ca, pair);

  return {
    caPem: pki.certificateToPem(ca),
    keyPem: pair.privatePem,
    async issue(request) {
      const leafPair = await keyPairFor(isServer(request) ? 'server' : 'user');
      const leaf = unsignedCertificate(leafPair, subjectOf(request.commonName, request.organizations));
      leaf.setIssuer(subject);
      leaf.setExtensions(leafExtensions(request));
      signNatively(leaf, pair);
      return { certPem: pki.certificateToPem(leaf), keyPem: leafPair.privatePem };
    },
  };
}

/** Creates a request for a client certificate, for an authority whose key is elsewhere: a cluster's own signer. */
export function createSigningRequest(pair: KeyPair, user: string, groups: readonly string[]): string {
  const request = pki.createCertificationRequest();
  request.publicKey = pki.publicKeyFromPem(pair.publicPem);
  request.setSubject(subjectOf(user, groups));
  request.sign(pki.privateKeyFromPem(pair.privatePem), md.sha256.create());
  return pki.certificationRequestToPem(request);
}

function subjectOf(commonName: string, organizations: readonly string[] = []): pki.CertificateField[] {
  return [
    ...organizations.map((value) => ({ name: 'organizationName', value })),
    { name: 'commonName', value: commonName },
  ];
}

/** node-forge's own RSA would block the event loop, on some versions of Node for seconds. */
function signNatively(certificate: pki.Certificate, { privatePem }: KeyPair): void {
  const native: Pick<pki.rsa.PrivateKey, 'sign'> = {
    sign: () => {
      const toBeSigned = asn1.toDer(certificate.tbsCertificate).getBytes();
      return sign('sha256', Buffer.from(toBeSigned, 'latin1'), privatePem).toString('latin1');
    },
  };
  certificate.sign(native as pki.rsa.PrivateKey, md.sha256.create());
}

/** Only certificates of servers have DNS names or IP addresses; users have only a common name. */
function isServer({ dnsNames = [], ipAddresses = [] }: LeafRequest): boolean {
  return dnsNames.length + ipAddresses.length > 0;
}

function leafExtensions(request: LeafRequest): object[] {
  const altNames = [
    ...(request.dnsNames ?? []).map((value) => ({ type: sanType.dns, value })),
    ...(request.ipAddresses ?? []).map((ip) => ({ type: sanType.ip, ip })),
  ];
  return [
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: isServer(request), clientAuth: !isServer(request) },
    ...(isServer(request) ? [{ name: 'subjectAltName', altNames }] : []),
  ];
}

function unsignedCertificate(pair: KeyPair, subject: pki.CertificateField[]): pki.Certificate {
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(pair.publicPem);
  // The leading 01 keeps the number positive: a set top bit would make it negative in DER, which Go refuses.
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`;
  certificate.validity.notBefore = new Date(Date.now() - backdateMs);
  certificate.validity.notAfter = new Date(Date.now() + lifetimeMs);
  certificate.setSubject(subject);
  return certificate;
}
