import type { Random } from '../runtime/random';
import { RerollError } from '../domain/errors';
import type { KubeClient } from './client';
import { AlreadyExistsError, undefinedIfNotFound } from './errors';
import { createObject, getObject, type KubeObject } from './objects';
import { secrets } from './resource';

export const digestKeySecretName = 'reroll-digest-key';

const dataKey = 'key';
const keyLength = 32;

/**
 * The key under which this install digests content: one Secret that every replica shares, made by the first. Losing it
 * makes every baseline unknown, which costs no restart.
 *
 * Throws KubeErrors, and a RerollError when the Secret holds no key.
 */
export async function loadDigestKey(client: KubeClient, random: Random, namespace: string): Promise<Buffer> {
  const stored = await getObject(client, secrets, namespace, digestKeySecretName).catch(undefinedIfNotFound);
  return readKey(stored ?? (await createKey(client, random, namespace)), namespace);
}

export function newDigestKey(random: Random): Buffer {
  return random.bytes(keyLength);
}

async function createKey(client: KubeClient, random: Random, namespace: string): Promise<KubeObject> {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: digestKeySecretName, namespace },
    type: 'Opaque',
    data: { [dataKey]: newDigestKey(random).toString('base64') },
  };
  try {
    return await createObject(client, secrets, namespace, secret);
  } catch (error) {
    // Another replica was first: there must be one key.
    if (error instanceof AlreadyExistsError) return await getObject(client, secrets, namespace, digestKeySecretName);
    throw error;
  }
}

function readKey(secret: KubeObject, namespace: string): Buffer {
  const data = secret['data'] as Readonly<Record<string, unknown>> | undefined;
  const text = data?.[dataKey];
  const key = Buffer.from(typeof text === 'string' ? text : '', 'base64');
  if (key.length === keyLength) return key;
  throw new RerollError(
    `Secret ${namespace}/${digestKeySecretName} holds no digest key: its key "${dataKey}" is not ${String(keyLength)} bytes; ` +
      'delete the Secret and a new key is made (baselines are then recorded anew, nothing is restarted)',
    { code: 'DIGEST_KEY_UNREADABLE', retry: 'backoff' },
  );
}
