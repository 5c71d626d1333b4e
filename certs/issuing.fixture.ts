import { generateKeyPairSync } from 'node:crypto';
import type { Issuer } from './apply-step';
import type { CertificateNames } from './certificate-names';
import type { KeyPair, KeyPairs } from './certificate';

export const dayMs = 24 * 60 * 60_000;

export const names: CertificateNames = {
  namespace: 'reroll',
  webhookService: 'reroll-webhook',
  channelService: 'reroll-channel',
};

function newPair(modulusLength: number): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicPem: publicKey, privatePem: privateKey };
}

/**
 * Keys that are generated once and reused in turn: a key for each certificate of a long life would take minutes. Short
 * keys are much faster; TLS connections need 2048 bits.
 */
export function preparedKeyPairs(count: number, modulusLength = 1024): KeyPairs {
  const pairs: KeyPair[] = [];
  let next = 0;
  return { generate: () => Promise.resolve((pairs[next++ % count] ??= newPair(modulusLength))) };
}

/** An issuer at one instant; serial numbers count up. */
export function testIssuer(
  nowMs: number,
  keyPairs: KeyPairs,
  lifetimes = { caLifeMs: 365 * dayMs, leafLifeMs: 30 * dayMs },
): Issuer {
  let serial = nowMs % 1_000_000;
  const bytes = (length: number): Buffer => {
    const counted = Buffer.alloc(Math.max(length, 4));
    counted.writeUInt32BE(serial++, 0);
    return counted.subarray(0, length);
  };
  return { keyPairs, random: { float: () => 0.5, bytes }, names, lifetimes, nowMs };
}
