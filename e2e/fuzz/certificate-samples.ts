import { generateKeyPairSync } from 'node:crypto';
import { applyStep } from '../../certs/apply-step';
import { dayMs, names } from '../../certs/issuing.fixture';
import { encodeMaterial, nothingStored } from '../../certs/secret-data';
import { seededRandom } from '../apiserver/seeded-random';

/** Short keys: fast to generate, and they protect nothing. */
const modulusLength = 1024;

/** The data of the Secret with all certificates. Each call generates new keys. */
export async function certificateData(): Promise<Readonly<Record<string, unknown>>> {
  const keyPairs = { generate: async () => await Promise.resolve(newPair()) };
  const lifetimes = { caLifeMs: 365 * dayMs, leafLifeMs: 30 * dayMs };
  const issuer = { keyPairs, random: seededRandom(1), names, lifetimes, nowMs: Date.UTC(2026, 0, 1) };
  const material = await applyStep({ do: 'create', because: 'a sample is needed' }, nothingStored, issuer);
  return encodeMaterial(material, {});
}

function newPair() {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicPem: publicKey, privatePem: privateKey };
}
