import { ownAnnotations } from '../../shared/domain/annotations/annotations';
import { objectKey } from '../../shared/domain/kubernetes/object-key';
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
import { entryName, type EntryClaim, type JobRecreation } from './journal-entry';
import type { JournalStore, StoredEntry, WrittenEntry } from './journal-store';

export interface JobJournalOptions {
  readonly client: KubeClient;
  readonly store: JournalStore;
  assertLeading(): void;
  /** There is no right to keep entries: from here to its end, a Job has no other safeguard than this process. */
  readonly onRefused?: (error: ForbiddenError) => void;
  /** An entry is there to be carried out or looked for; called for each when it is written, and when a term begins. */
  readonly onEntry: (name: string) => void;
}

/** How far a recreation has come. */
export type JobStep =
  | { readonly kind: 'created'; readonly entry: JobRecreation; readonly job: KubeObject }
  /** The Job is deleted, and cannot be created yet. */
  | { readonly kind: 'not-created'; readonly entry: JobRecreation; readonly error: unknown }
  /** Somebody else created, deleted or kept the Job, or the entry is gone, not wanted or none of ours: nothing is left to do. */
  | { readonly kind: 'superseded' }
  /** The old Job is still on its way out. */
  | { readonly kind: 'waiting' };

/** An entry to be carried out; without a version it is in memory alone. */
type Entry = Pick<StoredEntry, 'entry'> & Partial<Pick<StoredEntry, 'version'>>;

/**
 * What this process knows of an entry.
 *
 *     in-doubt ──▶ removed                   whether it is stored; nothing was deleted for it
 *     untouched ─┬─▶ begun ──▶ removed       it is stored; a Job that is gone was deleted by somebody else
 *                └─▶ removed
 *     begun: its Job may be deleted for it, by this process or one before; a Job that is gone is to be created
 */
interface OpenEntry extends EntryClaim {
  readonly state: 'in-doubt' | 'untouched' | 'begun';
}

const jobs = workloadKind('Job').resource;

/**
 * Carries Jobs over the gap between their deletion and their re-creation. An entry is a Secret in Reroll's own
 * namespace: written before the delete, removed after the create, found again by whoever leads next. Every step looks at
 * the cluster first and may be repeated.
 */
export class JobJournal {
  readonly #options: JobJournalOptions;
  /** By name of the entry. */
  readonly #open = new Map<string, OpenEntry>();
  /** What could not be written, by name of the entry. */
  readonly #inMemory = new Map<string, JobRecreation>();
  #recovered = false;

  constructor(options: JobJournalOptions) {
    this.#options = options;
  }

  /**
   * `under-way`: the Job is being created anew already. `in-doubt`: a write that failed may be stored, and is looked for.
   * `busy`: its name is taken, or may be; while a former entry is open, it would take the next deletion for its own and
   * create what is out of date.
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

  /** Makes the recreation certain. From here on it happens, whatever becomes of this process; if it throws, it does not. */
  async write(entry: JobRecreation): Promise<void> {
    const name = entryName(entry.uid);
    try {
      const written = await this.#stored(entry);
      if (written === 'refused') this.#inMemory.set(name, entry);
      this.#openAs(entry, written === 'there-before' ? 'begun' : 'untouched');
    } catch (error) {
      // Whatever the answer was, or that there was none: what is stored is looked at, and taken back.
      if (error instanceof KubeError) this.#openAs(entry, 'in-doubt');
      throw error;
    }
  }

  /** Finds what an earlier leader has left, this process too; until it has looked, no Job is free. */
  async recover(): Promise<void> {
    this.#recovered = false;
    this.#forgetTerm();
    for (const [name, claim] of await this.#options.store.recover()) this.#open.set(name, { ...claim, state: 'begun' });
    this.recoverOwn();
  }

  /**
   * There is no right to look for what an earlier leader has left. What this process began goes on: also what it left open
   * when it last led, and what who led since has gone on with or ended.
   */
  recoverOwn(): void {
    this.#forgetTerm();
    for (const name of this.#open.keys()) this.#options.onEntry(name);
    this.#recovered = true;
  }

  /** Takes the next step of one entry. Throws KubeErrors; then the step is to be taken again. */
  async advance(name: string): Promise<JobStep> {
    const { client, store } = this.#options;
    const inMemory = this.#inMemory.get(name);
    const found: Entry | 'refused' | undefined = inMemory ? { entry: inMemory } : await store.read(name);
    if (found === 'refused') return this.#end(name);
    // One answer is too little to give a Job up for: it may be deleted already.
    if (!found) return (await store.isListed(name)) ? { kind: 'waiting' } : this.#end(name);
    const { entry } = found;
    // Nothing was deleted for it: whether it is still wanted is for a new plan to say.
    if (entry.draft || this.#open.get(name)?.state === 'in-doubt') return await this.#withdraw(name, found);
    const { name: jobName, namespace: jobNamespace } = entry.successor.metadata;
    const job = await getObject(client, jobs, jobNamespace, jobName).catch(undefinedIfNotFound);
    if (job && job.metadata.uid !== entry.uid) {
      await this.#remove(name, found);
      // Our own create, whose answer was lost, is told from somebody else's by the restart's id.
      return createdBy(job, entry) ? { kind: 'created', entry, job } : { kind: 'superseded' };
    }
    const isGoing = job === undefined || job.metadata.deletionTimestamp !== undefined;
    // Its owner has deleted it, and does not want it back.
    if (isGoing && this.#open.get(name)?.state === 'untouched') return await this.#withdraw(name, found);
    if (!job) return await this.#create(name, found);
    if (!isGoing) await this.#delete(name, job);
    return { kind: 'waiting' };
  }

  /** In memory where there is no right to write it. */
  async #stored(entry: JobRecreation): Promise<WrittenEntry> {
    const { store, onRefused } = this.#options;
    try {
      // What is none of ours is not written over, as somebody has yet to look at it, and the restart does not wait for that.
      return await store.write(entry);
    } catch (error) {
      if (!onRefused || !isRbacForbidden(error)) throw error;
      onRefused(error);
      return 'refused';
    }
  }

  #openAs({ uid, successor: { metadata } }: JobRecreation, state: OpenEntry['state']): void {
    const name = entryName(uid);
    // A term that began meanwhile may have gone on with it.
    if (this.#open.get(name)?.state === 'begun') return;
    this.#open.set(name, { uid, job: objectKey(metadata.namespace, metadata.name), state });
    this.#options.onEntry(name);
  }

  /** Who led since may have gone on with any of them. */
  #forgetTerm(): void {
    for (const [name, claim] of this.#open) this.#open.set(name, { ...claim, state: 'begun' });
  }

  /** Only a leader gives an entry up: another one may have deleted the Job for it by now. */
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
      // Somebody deleted the namespace and meant it: a later one of that name is no heir to its Jobs.
      if (isNamespaceGone(error)) return await this.#remove(name, found);
      return { kind: 'not-created', entry, error };
    }
    await this.#remove(name, found);
    return { kind: 'created', entry, job };
  }

  async #delete(name: string, { metadata }: KubeObject): Promise<void> {
    this.#options.assertLeading();
    const claim = this.#open.get(name);
    // Before the answer, which may be lost: from here on, a Job that is gone was deleted by us.
    if (claim) this.#open.set(name, { ...claim, state: 'begun' });
    const precondition = { uid: metadata.uid, propagationPolicy: 'Background' as const };
    await deleteObject(this.#options.client, jobs, metadata.namespace, metadata.name, precondition).catch(
      undefinedIfNotFound,
    );
  }

  async #remove(name: string, { version }: Entry): Promise<JobStep> {
    if (version === undefined) this.#inMemory.delete(name);
    else await this.#options.store.remove(name, version);
    return this.#end(name);
  }

  #end(name: string): JobStep {
    this.#open.delete(name);
    return { kind: 'superseded' };
  }
}

function createdBy(job: KubeObject, entry: JobRecreation): boolean {
  const own = entry.successor.metadata.annotations[ownAnnotations.lastRestart];
  return own !== undefined && job.metadata.annotations?.[ownAnnotations.lastRestart] === own;
}
