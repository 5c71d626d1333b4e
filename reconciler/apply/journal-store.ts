import type { KubeClient } from '../../shared/kube/client/client';
import { AlreadyExistsError, NotFoundError, undefinedIfNotFound } from '../../shared/kube/errors';
import {
  createObject,
  deleteObject,
  getObject,
  listObjects,
  updateObject,
  type KubeObject,
} from '../../shared/kube/client/objects';
import { isRbacForbidden } from '../../shared/kube/client/permission-probe';
import { secrets } from '../../shared/kube/resource';
import {
  claimOf,
  entryName,
  entrySelector,
  openEntry,
  sealEntry,
  type EntryClaim,
  type EntryProblem,
  type JobRecreation,
} from './journal-entry';

/** A Secret that is labelled as an entry of the journal and that nothing is created from. */
export interface RefusedEntry {
  readonly namespace: string;
  readonly name: string;
  /** `namespace/name` of the Job that it claims to be for: whatever somebody wrote there. */
  readonly job: string;
  readonly why: EntryProblem;
}

export interface JournalStoreOptions {
  readonly client: KubeClient;
  /** Reroll's own namespace: it may keep Secrets there and nowhere else. */
  readonly namespace: string;
  /** The key that entries are signed with, as it is stored now; made where there is none. Throws KubeErrors. */
  readonly loadKey: () => Promise<Buffer>;
  /** A Secret does not verify: called once for each. */
  readonly onRefusedEntry: (entry: RefusedEntry) => void;
}

export interface StoredEntry {
  readonly entry: JobRecreation;
  /** Of its Secret. */
  readonly version: string;
}

/**
 * What became of an entry. `there-before`: another one counts, and its Job may be deleted for it already. `refused`: a Secret
 * of that name is none of ours.
 */
export type WrittenEntry = 'written' | 'there-before' | 'refused';

/**
 * The entries of the journal, as Secrets that carry a MAC. What is created in any namespace is what an entry says, so one
 * that does not verify is told and left alone: it is not read, not written over and not deleted, whoever leads.
 */
export class JournalStore {
  readonly #options: JournalStoreOptions;
  #key: Buffer | undefined;
  /** Uids of the Secrets that were refused, and told of. */
  #refused: ReadonlySet<string> = new Set();

  constructor(options: JournalStoreOptions) {
    this.#options = options;
  }

  /**
   * What the entries that verify are for, by their names. From here on the key counts that is stored now, so that who
   * deletes it and starts the reconciler anew has nothing believed that was written before.
   */
  async recover(): Promise<ReadonlyMap<string, EntryClaim>> {
    const labelled = await this.#list();
    this.#key = await this.#options.loadKey().catch((error: unknown) => {
      // With nothing to verify, a right that is missing is told when the first entry is to be written.
      if (labelled.length > 0 || !isRbacForbidden(error)) throw error;
      return undefined;
    });
    const there = new Set(labelled.map(({ metadata }) => metadata.uid));
    this.#refused = new Set([...this.#refused].filter((uid) => there.has(uid)));
    const entries = new Map<string, EntryClaim>();
    for (const secret of labelled) {
      if (await this.#verified(secret)) entries.set(secret.metadata.name, claimOf(secret));
    }
    return entries;
  }

  /** Undefined: one answer says that there is none. */
  async read(name: string): Promise<StoredEntry | 'refused' | undefined> {
    const secret = await this.#get(name).catch(undefinedIfNotFound);
    if (!secret) return undefined;
    const entry = await this.#verified(secret);
    return entry ? { entry, version: secret.metadata.resourceVersion } : 'refused';
  }

  async isListed(name: string): Promise<boolean> {
    return (await this.#list()).some(({ metadata }) => metadata.name === name);
  }

  /**
   * Two writes: a draft, and then the entry in its place. The first may arrive long after it was given up, and does not
   * count; the second names the version of the first, so it arrives in time or not at all.
   */
  async write(entry: JobRecreation): Promise<WrittenEntry> {
    const { client, namespace } = this.#options;
    const draft = await this.#draft(entry);
    if (typeof draft === 'string') return draft;
    const secret = sealEntry(await this.#currentKey(), namespace, entry);
    const metadata = { ...secret.metadata, resourceVersion: draft.version };
    await updateObject(client, secrets, namespace, entryName(entry.uid), { ...secret, metadata });
    return 'written';
  }

  /** Removes the version that was read, and no other. */
  async remove(name: string, version: string): Promise<void> {
    const { client, namespace } = this.#options;
    const options = { propagationPolicy: 'Background', resourceVersion: version } as const;
    try {
      await deleteObject(client, secrets, namespace, name, options);
    } catch (error) {
      // As with a read: an entry that stays would be carried out, and told of, by whoever leads next.
      if (!(error instanceof NotFoundError) || (await this.isListed(name))) throw error;
    }
  }

  /** A new draft, or one whose answer was lost. */
  async #draft(entry: JobRecreation): Promise<{ readonly version: string } | Exclude<WrittenEntry, 'written'>> {
    const { client, namespace } = this.#options;
    const secret = sealEntry(await this.#currentKey(), namespace, { ...entry, draft: true });
    try {
      const created = await createObject(client, secrets, namespace, secret);
      return { version: created.metadata.resourceVersion };
    } catch (error) {
      if (!(error instanceof AlreadyExistsError)) throw error;
    }
    const found = await this.#get(entryName(entry.uid));
    const known = await this.#verified(found);
    if (!known) return 'refused';
    // Only what was verified is written over: it may have been exchanged since.
    return known.draft ? { version: found.metadata.resourceVersion } : 'there-before';
  }

  async #verified(secret: KubeObject): Promise<JobRecreation | undefined> {
    const opened = openEntry(await this.#currentKey(), secret);
    if (opened.kind === 'entry') return opened.entry;
    const { uid, name } = secret.metadata;
    if (this.#refused.has(uid)) return undefined;
    this.#refused = new Set([...this.#refused, uid]);
    const { namespace, onRefusedEntry } = this.#options;
    onRefusedEntry({ namespace, name, job: claimOf(secret).job, why: opened.why });
    return undefined;
  }

  async #currentKey(): Promise<Buffer> {
    return (this.#key ??= await this.#options.loadKey());
  }

  async #get(name: string): Promise<KubeObject> {
    return await getObject(this.#options.client, secrets, this.#options.namespace, name);
  }

  async #list(): Promise<readonly KubeObject[]> {
    return await listObjects(this.#options.client, secrets, this.#options.namespace, entrySelector);
  }
}
