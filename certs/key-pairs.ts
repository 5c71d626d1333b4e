import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

/** Both PEM: SPKI and PKCS#8. */
export interface KeyPair {
  readonly publicPem: string;
  readonly privatePem: string;
}

/** The source of new keys. It is passed in, because generating one takes real time and real randomness. */
export interface KeyPairs {
  generate(): Promise<KeyPair>;
}

/**
 * RSA, which every API server accepts; generated off the event loop, which node-forge's own generator would block for
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
