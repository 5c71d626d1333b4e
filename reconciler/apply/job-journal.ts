import { ownAnnotations } from '../../shared/domain/annotations/annotations';
import { objectKey, type ObjectKey } from '../../shared/domain/kubernetes/object-key';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { KubeClient } from '../../shared/kube/client/client';
import {
  AlreadyExistsError,
  type ForbiddenError,
  isNamespaceGone,
  KubeError,
  undefinedIfNotFound,
} from '../../shared/kube/errors';
import { createObject, deleteObject, getObject, type KubeObject } from '../../shared/kube/client/objects';
import { isRbacForbidden } from '../../shared/kube/client/permission-probe';
import { entryName, jobDigest, type EntryClaim, type JobRecreation } from './journal-entry';
import type { JournalStore, StoredEntry, WrittenEntry } from './journal-store';

export interface JobJournalOptions {
  readonly client: KubeClient;
  readonly store: JournalStore;
  assertLeading(): void;
  /** Called if Reroll may not store entries: from here on, only this process protects the Job. */
  readonly onRefused?: (error: ForbiddenError) => void;
  /** Called for each entry that must be carried out or looked for: when it is written, and when a term begins. */
  readonly onEntry: (name: string) => void;
  /** Called before a Job is deleted or created for an entry, as often as it is tried. */
  readonly onRecreating: (entry: JobRecreation) => void;
}

export type JobName = Pick<WorkloadRecord, 'namespace' | 'name'>;

/** The progress of a recreation. */
export type JobStep =
  | { readonly kind: 'created'; readonly entry: JobRecreation; readonly job: KubeObject }
  /** The Job is deleted and cannot be created yet. */
  | { readonly kind: 'not-created'; readonly entry: JobRecreation; readonly error: unknown }
  /**
   * Nothing is left to do: somebody else created, deleted, edited or kept the Job, or the entry is gone, unwanted or not
   * ours.
   */
  | { readonly kind: 'superseded' }
  /** The old Job is still being deleted. */
  | { readonly kind: 'waiting' };

/** An entry to carry out. Without a version it is kept only in memory. */
type Entry = Pick<StoredEntry, 'entry'> & Partial<Pick<StoredEntry, 'version'>>;

/**
 * What this process knows about an entry.
 *
 *     in-doubt ──▶ removed                   it may not be stored; nothing was deleted for it
 *     untouched ─┬─▶ begun ──▶ removed       it is stored; if its Job is gone, somebody else deleted it
 *                └─▶ removed
 *     begun: this process or an earlier one may have deleted its Job; if the Job is gone, it must be created. If it is
 *     there and was edited, it was not deleted
 */
interface OpenEntry extends EntryClaim {
  readonly state: 'in-doubt' | 'untouched' | 'begun';
  /** How it ended, once its removal was sent: the answer may be lost, and then nothing else tells. */
  readonly end?: JobStep;
}

const jobs = workloadKind('Job').resource;
const superseded: JobStep = { kind: 'superseded' };

/**
 * Makes sure that a Job is created again after its deletion. An entry is a Secret in Reroll's own namespace. It is
 * written before the delete, removed after the create, and found by the next leader. Every step checks the cluster
 * first and may be repeated.
 */
export class JobJournal {
  readonly #options: JobJournalOptions;
  /** By entry name. */
  readonly #open = new Map<string, OpenEntry>();
  /** Entries that could not be stored, by entry name. */
  readonly #inMemory = new Map<string, JobRecreation>();
  #recovered = false;
  #searches = 0;

  constructor(options: JobJournalOptions) {
    this.#options = options;
  }

  /**
   * `under-way`: the Job is already being recreated. `in-doubt`: a failed write may have been stored, and is looked
   * for. `busy`: an entry for an earlier Job of this name is, or may be, open. It would mistake the deletion of this
   * Job for its own and create an outdated Job.
   */
  standing({
    uid,
    namespace,
    name,
  }: Pick<WorkloadRecord, 'uid' | 'namespace' | 'name'>): 'free' | 'under-way' | 'in-doubt' | 'busy' {
    const open = [...this.#open.values()];
    const own = open.find((entry) => entry.uid === uid);
    if (own) return own.state === 'in-doubt' ? 'in-doubt' : 'under-way';
    return this.#recovered && !open.some(({ job }) => job === objectKey(namespace, name)) ? 'free' : 'busy';
  }

  /** Whether a Job of this name may be deleted, and is created again. */
  isRecreating(namespace: string, name: string): boolean {
    const job = objectKey(namespace, name);
    return [...this.#open.values()].some((entry) => entry.job === job && entry.state !== 'in-doubt');
  }

  /** Whether an entry of this name is known that has not ended. */
  isOpen(name: string): boolean {
    return this.#open.has(name);
  }

  /** The Job of an entry that has not ended; undefined: no such entry is known. */
  jobOf(name: string): ObjectKey | undefined {
    return this.#open.get(name)?.job;
  }

  /** Whether a Job of this name is stored now, whoever created it. @throws KubeErrors */
  async isStored({ namespace, name }: JobName): Promise<boolean> {
    return (await getObject(this.#options.client, jobs, namespace, name).catch(undefinedIfNotFound)) !== undefined;
  }

  /**
   * Guarantees the recreation: from here on it happens even if this process dies. If this throws, it does not happen.
   */
  async write(entry: JobRecreation): Promise<void> {
    const name = entryName(entry.uid);
    try {
      const written = await this.#stored(entry);
      if (written === 'refused') this.#inMemory.set(name, entry);
      this.#openAs(entry, written === 'there-before' ? 'begun' : 'untouched');
    } catch (error) {
      // A failed write may still have been stored: the entry is looked for and removed.
      if (error instanceof KubeError) this.#openAs(entry, 'in-doubt');
      throw error;
    }
  }

  /**
   * Finds the entries that an earlier leader, or this process, left behind. Until then, no Job is `free`. A search that a
   * later one has overtaken does not count.
   */
  async recover(): Promise<void> {
    this.#recovered = false;
    this.#forgetTerm();
    const search = ++this.#searches;
    const found = await this.#options.store.recover();
    // What it found may be older than what another leader, or a restore of etcd, has brought since.
    if (search !== this.#searches) return;
    for (const [name, claim] of found) this.#open.set(name, { ...claim, state: 'begun' });
    this.recoverOwn();
  }

  /**
   * Used if Reroll may not list the entries of an earlier leader. It continues what this process began, including
   * entries that were open when it last led and that a later leader may have continued or ended.
   */
  recoverOwn(): void {
    this.#forgetTerm();
    for (const name of this.#open.keys()) this.#options.onEntry(name);
    this.#recovered = true;
  }

  /** Takes the next step for one entry. Throws KubeErrors; the step must then be repeated. */
  async advance(name: string): Promise<JobStep> {
    const { client, store } = this.#options;
    const inMemory = this.#inMemory.get(name);
    const found: Entry | 'refused' | undefined = inMemory ? { entry: inMemory } : await store.read(name);
    if (found === 'refused') return this.#end(name);
    // One 404 is not enough to give up a Job that may already be deleted.
    if (!found) return (await store.isListed(name)) ? { kind: 'waiting' } : this.#end(name);
    const { entry } = found;
    // Nothing was deleted for it. A new plan decides whether it is still wanted.
    if (entry.draft || this.#open.get(name)?.state === 'in-doubt') return await this.#withdraw(name, found);
    const { name: jobName, namespace: jobNamespace } = entry.successor.metadata;
    const job = await getObject(client, jobs, jobNamespace, jobName).catch(undefinedIfNotFound);
    if (job && job.metadata.uid !== entry.uid) {
      // Another leader may have created it, and reports it.
      this.#options.assertLeading();
      // The restart's id distinguishes our own create, whose answer was lost, from somebody else's.
      return await this.#remove(name, found, createdBy(job, entry) ? { kind: 'created', entry, job } : superseded);
    }
    const isGoing = job === undefined || job.metadata.deletionTimestamp !== undefined;
    // The Job's owner deleted it and does not want it back.
    if (isGoing && this.#open.get(name)?.state === 'untouched') return await this.#withdraw(name, found);
    // Somebody has edited the Job since, and its successor would undo that. No deletion of ours can arrive any more,
    // because each names a version from before the edit. A new plan takes the Job as it is now.
    if (job && !isGoing && isEditedSince(job, entry)) return await this.#withdraw(name, found);
    this.#options.onRecreating(entry);
    if (!job) return await this.#create(name, found);
    if (!isGoing) await this.#delete(name, job);
    return { kind: 'waiting' };
  }

  /** Writes the entry. Without permission it counts as `refused`, so it is kept in memory. */
  async #stored(entry: JobRecreation): Promise<WrittenEntry> {
    const { store, onRefused } = this.#options;
    try {
      // A Secret that is not ours is not overwritten, so that a person can look at it. The restart need not wait for
      // that.
      return await store.write(entry);
    } catch (error) {
      if (!onRefused || !isRbacForbidden(error)) throw error;
      onRefused(error);
      return 'refused';
    }
  }

  #openAs({ uid, successor: { metadata } }: JobRecreation, state: OpenEntry['state']): void {
    const name = entryName(uid);
    // A term that began during the write may have continued the entry.
    if (this.#open.get(name)?.state === 'begun') return;
    this.#open.set(name, { uid, job: objectKey(metadata.namespace, metadata.name), state });
    this.#options.onEntry(name);
  }

  /**
   * Another leader may have continued any of these entries meanwhile, unless it is only in the memory of this process. If
   * nothing was deleted for such a one, a new plan decides whether it is still wanted.
   */
  #forgetTerm(): void {
    for (const [name, { uid, job, state }] of this.#open) {
      const isOurs = this.#inMemory.has(name) && state !== 'begun';
      this.#open.set(name, { uid, job, state: isOurs ? 'in-doubt' : 'begun' });
    }
  }

  /** Removes an entry without creating its Job. Only a leader may: another one may have deleted the Job by now. */
  async #withdraw(name: string, found: Entry): Promise<JobStep> {
    this.#options.assertLeading();
    return await this.#remove(name, found);
  }

  async #create(name: string, found: Entry): Promise<JobStep> {
    const { entry } = found;
    this.#options.assertLeading();
    let job: KubeObject;
    try {
      job = await createObject(this.#options.client, jobs, entry.successor.metadata.namespace, entry.successor);
    } catch (error) {
      if (error instanceof AlreadyExistsError) return { kind: 'waiting' };
      // Somebody deleted the namespace on purpose. A later namespace of that name does not inherit its Jobs.
      if (isNamespaceGone(error)) return await this.#remove(name, found);
      return { kind: 'not-created', entry, error };
    }
    return await this.#remove(name, found, { kind: 'created', entry, job });
  }

  async #delete(name: string, { metadata }: KubeObject): Promise<void> {
    this.#options.assertLeading();
    const claim = this.#open.get(name);
    // Set before the request, because its answer may be lost: from here on, a missing Job was deleted by us.
    if (claim) this.#open.set(name, { ...claim, state: 'begun' });
    const { uid, resourceVersion, namespace, name: jobName } = metadata;
    const options = { uid, resourceVersion, propagationPolicy: 'Background' } as const;
    await deleteObject(this.#options.client, jobs, namespace, jobName, options).catch(undefinedIfNotFound);
  }

  async #remove(name: string, { version }: Entry, end: JobStep = superseded): Promise<JobStep> {
    const claim = this.#open.get(name);
    if (claim) this.#open.set(name, { ...claim, end });
    if (version === undefined) this.#inMemory.delete(name);
    else await this.#options.store.remove(name, version);
    return this.#end(name, end);
  }

  #end(name: string, end = this.#open.get(name)?.end ?? superseded): JobStep {
    this.#open.delete(name);
    return end;
  }
}

/** Older versions did not note what the successor was made from. */
function isEditedSince(job: KubeObject, { madeFrom }: JobRecreation): boolean {
  return madeFrom !== undefined && madeFrom !== jobDigest(job);
}

function createdBy(job: KubeObject, entry: JobRecreation): boolean {
  const own = entry.successor.metadata.annotations[ownAnnotations.lastRestart];
  return own !== undefined && job.metadata.annotations?.[ownAnnotations.lastRestart] === own;
}
