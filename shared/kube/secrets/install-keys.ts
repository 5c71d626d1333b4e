import { RerollError } from '../../domain/errors';
import type { Random } from '../../runtime/random';
import type { KubeClient } from '../client/client';
import { AlreadyExistsError, undefinedIfNotFound } from '../errors';
import { createObject, getObject, type KubeObject } from '../client/objects';
import { secrets } from '../resource';

/** A key that an install keeps in a Secret in Reroll's namespace, so that all replicas use it, also after a restart. */
export interface InstallKeyKind {
  readonly secretName: string;
  /** For messages. */
  readonly what: string;
  /** The consequence of a new key, as the end of a sentence. */
  readonly costOfNew: string;
  /** The error code for a Secret without a valid key. */
  readonly unreadableCode: string;
}

/** Content is digested with this key. The webhook reads it too. */
export const digestKey: InstallKeyKind = {
  secretName: 'reroll-digest-key',
  what: 'digest key',
  costOfNew: 'Reroll then records all baselines again and restarts nothing',
  unreadableCode: 'DIGEST_KEY_UNREADABLE',
};

/** The reconciler signs its journal entries, and the contents that it keeps, with this key. Nobody else may read it. */
export const journalKey: InstallKeyKind = {
  secretName: 'reroll-journal-key',
  what: 'journal key',
  costOfNew: 'existing journal entries and kept contents do not count then, and each is named in the log',
  unreadableCode: 'JOURNAL_KEY_UNREADABLE',
};

const dataKey = 'key';
const keyLength = 32;

/**
 * Reads the stored key; never creates one.
 *
 * Throws KubeErrors, a NotFoundError if the Secret is missing, and a RerollError if it holds no valid key.
 */
export async function getInstallKey(client: KubeClient, namespace: string, kind: InstallKeyKind): Promise<Buffer> {
  return readKey(await getObject(client, secrets, namespace, kind.secretName), namespace, kind);
}

/**
 * Reads the stored key. The first replica that needs it creates it.
 *
 * Throws KubeErrors, and a RerollError if the Secret holds no valid key.
 */
export async function loadInstallKey(
  client: KubeClient,
  random: Random,
  namespace: string,
  kind: InstallKeyKind,
): Promise<Buffer> {
  const stored = await getObject(client, secrets, namespace, kind.secretName).catch(undefinedIfNotFound);
  return readKey(stored ?? (await createKey(client, random, namespace, kind)), namespace, kind);
}

export function newInstallKey(random: Random): Buffer {
  return random.bytes(keyLength);
}

async function createKey(
  client: KubeClient,
  random: Random,
  namespace: string,
  { secretName }: InstallKeyKind,
): Promise<KubeObject> {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secretName, namespace },
    type: 'Opaque',
    data: { [dataKey]: newInstallKey(random).toString('base64') },
  };
  try {
    return await createObject(client, secrets, namespace, secret);
  } catch (error) {
    // Another replica created the key first. All replicas must use one key.
    if (error instanceof AlreadyExistsError) return await getObject(client, secrets, namespace, secretName);
    throw error;
  }
}

function readKey(secret: KubeObject, namespace: string, kind: InstallKeyKind): Buffer {
  const { secretName, what, costOfNew, unreadableCode } = kind;
  const data = secret['data'] as Readonly<Record<string, unknown>> | undefined;
  const text = data?.[dataKey];
  const key = Buffer.from(typeof text === 'string' ? text : '', 'base64');
  if (key.length === keyLength) return key;
  throw new RerollError(
    `Secret ${namespace}/${secretName} holds no ${what}: its key "${dataKey}" is not ${String(keyLength)} bytes; ` +
      `delete the Secret and the reconciler creates a new key (${costOfNew})`,
    { code: unreadableCode },
  );
}
