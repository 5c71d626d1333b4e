import type { KubeClient } from '../../shared/kube/client/client';
import { AlreadyExistsError, NotFoundError, undefinedIfNotFound } from '../../shared/kube/errors';
import {
  createObject,
  deleteObject,
  getObject,
  listObjects,
  listPages,
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

/** A Secret that is labelled as a journal entry but does not verify. Nothing is created from it. */
export interface RefusedEntry {
  readonly namespace: string;
  readonly name: string;
  /** `namespace/name` of the Job that it claims to be for. Not trusted. */
  readonly job: string;
  readonly why: EntryProblem;
}

export interface JournalStoreOptions {
  readonly client: KubeClient;
  /** Reroll's own namespace, the only one in which it may store Secrets. */
  readonly namespace: string;
  /** Loads the stored key that entries are signed with; creates it if there is none. Throws KubeErrors. */
  readonly loadKey: () => Promise<Buffer>;
  /** Throws if this replica no longer leads. */
  readonly assertLeading: () => void;
  /** Called once for each Secret that does not verify. */
  readonly onRefusedEntry: (entry: RefusedEntry) => void;
}

export interface StoredEntry {
  readonly entry: JobRecreation;
  /** The resourceVersion of its Secret. */
  readonly version: string;
}

/**
 * The result of writing an entry. `there-before`: an earlier entry counts, and its Job may already be deleted for it.
 * `refused`: a Secret with that name is not ours.
 */
export type WrittenEntry = 'written' | 'there-before' | 'refused';

/**
 * How many entries one answer holds. An entry may have a mebibyte, and whoever keeps their Jobs from being deleted with a
 * finalizer has as many entries as Jobs.
 */
const pageSize = 10;

/**
 * The journal's entries, as Secrets with a MAC. Reroll creates whatever an entry contains, in any namespace. An entry
 * that does not verify is therefore reported and left alone: no leader executes, overwrites or deletes it.
 */
export class JournalStore {
  readonly #options: JournalStoreOptions;
  #key: Buffer | undefined;
  /** Uids of the Secrets that were refused and reported. */
  #refused: ReadonlySet<string> = new Set();

  constructor(options: JournalStoreOptions) {
    this.#options = options;
  }

  /**
   * Returns the claims of the entries that verify, by name. From here on the key that is stored now counts: if a user
   * deletes it and restarts the reconciler, no earlier entry is trusted.
   */
  async recover(): Promise<ReadonlyMap<string, EntryClaim>> {
    const { client, namespace, loadKey } = this.#options;
    const there = new Set<string>();
    const entries = new Map<string, EntryClaim>();
    let key: Promise<Buffer> | undefined;
    for await (const page of listPages(client, secrets, namespace, { labelSelector: entrySelector, pageSize })) {
      if (page.length === 0) continue;
      // Loaded after the first page: all pages show the state of that time, so no entry has a newer key.
      this.#key = await (key ??= loadKey());
      for (const secret of page) {
        there.add(secret.metadata.uid);
        if (await this.#verified(secret)) entries.set(secret.metadata.name, claimOf(secret));
      }
    }
    // With nothing to verify, a missing permission is reported when the first entry is written.
    if (!key) this.#key = await loadKey().catch(undefinedIfForbidden);
    this.#refused = new Set([...this.#refused].filter((uid) => there.has(uid)));
    return entries;
  }

  /** Undefined: a single 404 said that there is none. */
  async read(name: string): Promise<StoredEntry | 'refused' | undefined> {
    const secret = await this.#get(name).catch(undefinedIfNotFound);
    if (!secret) return undefined;
    const entry = await this.#verified(secret);
    return entry ? { entry, version: secret.metadata.resourceVersion } : 'refused';
  }

  async isListed(name: string): Promise<boolean> {
    const { client, namespace } = this.#options;
    const options = { labelSelector: entrySelector, metadataOnly: true };
    return (await listObjects(client, secrets, namespace, options)).some(({ metadata }) => metadata.name === name);
  }

  /**
   * Writes twice: a draft, then the entry in its place. The draft does not count, because a create may arrive long
   * after it was given up. The second write names the draft's version, so it arrives in time or fails. Throws what
   * `assertLeading` throws: a leader that began meanwhile has looked for entries and found a draft at most.
   */
  async write(entry: JobRecreation): Promise<WrittenEntry> {
    const { client, namespace, assertLeading } = this.#options;
    const draft = await this.#draft(entry);
    if (typeof draft === 'string') return draft;
    const secret = sealEntry(await this.#currentKey(), namespace, entry);
    const metadata = { ...secret.metadata, resourceVersion: draft.version };
    assertLeading();
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
      // One 404 is not enough: the next leader would carry out and report an entry that is left behind.
      if (!(error instanceof NotFoundError) || (await this.isListed(name))) throw error;
    }
  }

  /** Creates a draft, or finds an earlier one whose answer was lost. */
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
    // Only the version that was verified may be overwritten: the Secret may have been replaced since.
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
}

function undefinedIfForbidden(error: unknown): undefined {
  if (!isRbacForbidden(error)) throw error;
  return undefined;
}
