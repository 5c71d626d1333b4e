import { RerollError } from '../../domain/errors';
import type { Random } from '../../runtime/random';
import type { KubeClient } from '../client/client';
import { AlreadyExistsError, undefinedIfNotFound } from '../errors';
import { createObject, getObject, type KubeObject } from '../client/objects';
import { secrets } from '../resource';

/** A key that an install keeps in a Secret of Reroll's namespace, so that every replica and every later process has it. */
export interface InstallKeyKind {
  readonly secretName: string;
  /** For messages. */
  readonly what: string;
  /** What a new key costs, as the end of a sentence. */
  readonly costOfNew: string;
  /** Of the error for a Secret that holds no such key. */
  readonly unreadableCode: string;
}

/** Content is digested under it. The webhook reads it, too. */
export const digestKey: InstallKeyKind = {
  secretName: 'reroll-digest-key',
  what: 'digest key',
  costOfNew: 'baselines are then recorded anew, nothing is restarted',
  unreadableCode: 'DIGEST_KEY_UNREADABLE',
};

/** The reconciler signs the entries of its journal under it. Nobody else may read it. */
export const journalKey: InstallKeyKind = {
  secretName: 'reroll-journal-key',
  what: 'journal key',
  costOfNew: 'entries of the journal that are there already are then left alone, and each is named in the log',
  unreadableCode: 'JOURNAL_KEY_UNREADABLE',
};

const dataKey = 'key';
const keyLength = 32;

/**
 * The key that is stored; it is not made where there is none.
 *
 * Throws KubeErrors, a NotFoundError where there is no Secret, and a RerollError where it holds no key.
 */
export async function getInstallKey(client: KubeClient, namespace: string, kind: InstallKeyKind): Promise<Buffer> {
  return readKey(await getObject(client, secrets, namespace, kind.secretName), namespace, kind);
}

/**
 * The key that is stored, made by the first replica that asks for it.
 *
 * Throws KubeErrors, and a RerollError where the Secret holds no key.
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
    // Another replica was first: there must be one key.
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
      `delete the Secret and the reconciler makes a new key (${costOfNew})`,
    { code: unreadableCode },
  );
}
