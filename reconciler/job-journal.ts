import { hash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { ownAnnotations } from '../shared/domain/annotations';
import { RerollError } from '../shared/domain/errors';
import { objectKey } from '../shared/domain/object-key';
import type { WorkloadRecord } from '../shared/domain/workload';
import { workloadKind } from '../shared/domain/workload-kinds';
import type { KubeClient } from '../shared/kube/client';
import {
  AlreadyExistsError,
  type ForbiddenError,
  isNamespaceGone,
  NotFoundError,
  undefinedIfNotFound,
} from '../shared/kube/errors';
import { isRightRefused } from '../shared/kube/refusals';
import {
  createObject,
  deleteObject,
  getObject,
  listObjects,
  updateObject,
  type KubeObject,
} from '../shared/kube/objects';
import { secrets } from '../shared/kube/resource';

const entrySchema = z.object({
  /** Of the Job that is to go. */
  uid: z.string().min(1),
  restartId: z.string(),
  /** The sources that it is owed to. */
  sources: z.array(z.string()).readonly(),
  /** Why, for people: a phrase for each source. */
  because: z.array(z.string()).readonly(),
  /** The Job to create. */
  successor: z.looseObject({
    metadata: z.looseObject({
      name: z.string(),
      namespace: z.string(),
      annotations: z.record(z.string(), z.string()),
    }),
  }),
});

/** A Job that is being deleted and created again. */
export type JobRecreation = Readonly<z.infer<typeof entrySchema>>;

export interface JobJournalOptions {
  readonly client: KubeClient;
  /** Reroll's own namespace: it may keep Secrets there and nowhere else. */
  readonly namespace: string;
  assertLeading(): void;
  /** There is no right to keep entries: from here to its end, a Job has no other safeguard than this process. */
  readonly onRefused?: (error: ForbiddenError) => void;
  /** An entry is there to be carried out; called for each when it is written, and when a term begins. */
  readonly onEntry: (name: string) => void;
}

/** How far a recreation has come. */
export type JobStep =
  | { readonly kind: 'created'; readonly entry: JobRecreation; readonly job: KubeObject }
  /** Somebody else created or kept the Job, or the entry is gone: nothing is left to do. */
  | { readonly kind: 'superseded' }
  /** The old Job is still on its way out. */
  | { readonly kind: 'waiting' };

const label = 'reroll.dev/journal';
const uidLabel = 'reroll.dev/journal-job';
const jobAnnotation = 'reroll.dev/journal-job-name';
const jobs = workloadKind('Job').resource;

/** The manifest may hold secrets in plain variables, so the journal is a Secret, not a ConfigMap. */
const dataKey = 'recreation.json.gz';

/**
 * Carries Jobs over the gap between their deletion and their re-creation. An entry is a Secret in Reroll's own
 * namespace: written before the delete, removed after the create, found again by whoever leads next. Every step looks at
 * the cluster first and may be repeated.
 */
export class JobJournal {
  readonly #options: JobJournalOptions;
  /** By name of the entry. */
  readonly #open = new Map<string, { readonly uid: string; readonly job: string }>();
  /** What may not be written, by name of the entry. */
  readonly #inMemory = new Map<string, JobRecreation>();
  #recovered = false;

  constructor(options: JobJournalOptions) {
    this.#options = options;
  }

  /**
   * `under-way`: the Job is being created anew already. `busy`: its name is, or may be; while a former entry is open, it
   * would take the next deletion for its own and create what is out of date.
   */
  standing({
    uid,
    namespace,
    name,
  }: Pick<WorkloadRecord, 'uid' | 'namespace' | 'name'>): 'free' | 'under-way' | 'busy' {
    const open = [...this.#open.values()];
    if (open.some((entry) => entry.uid === uid)) return 'under-way';
    return this.#recovered && !open.some(({ job }) => job === objectKey(namespace, name)) ? 'free' : 'busy';
  }

  /** Makes the recreation certain. From here on it happens, whatever becomes of this process. */
  async write(entry: JobRecreation): Promise<void> {
    const name = entryName(entry.uid);
    const job = objectKey(entry.successor.metadata.namespace, entry.successor.metadata.name);
    const text = gzipSync(Buffer.from(JSON.stringify(entry))).toString('base64');
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name,
        namespace: this.#options.namespace,
        labels: { [label]: 'job', [uidLabel]: entry.uid },
        // Longer than a label may be.
        annotations: { [jobAnnotation]: job },
      },
      data: { [dataKey]: text },
    };
    try {
      await createObject(this.#options.client, secrets, this.#options.namespace, secret);
    } catch (error) {
      if (this.#options.onRefused && isRightRefused(error)) {
        this.#options.onRefused(error);
        this.#inMemory.set(name, entry);
      } else {
        // A write whose answer was lost, now to be replaced by what was planned since.
        if (!(error instanceof AlreadyExistsError)) throw error;
        await updateObject(this.#options.client, secrets, this.#options.namespace, name, secret);
      }
    }
    this.#found(name, { uid: entry.uid, job });
  }

  /** Finds what an earlier leader has left, this process too; until it has looked, no Job is free. */
  async recover(): Promise<void> {
    this.#recovered = false;
    for (const { metadata } of await this.#list()) {
      const { name, labels, annotations } = metadata;
      this.#open.set(name, { uid: labels?.[uidLabel] ?? '', job: annotations?.[jobAnnotation] ?? '' });
    }
    this.recoverOwn();
  }

  /**
   * There is no right to look for what an earlier leader has left. What this process began goes on: also what it left open
   * when it last led, and what who led since has ended.
   */
  recoverOwn(): void {
    for (const name of this.#open.keys()) this.#options.onEntry(name);
    this.#recovered = true;
  }

  /** Takes the next step of one entry. Throws KubeErrors; then the step is to be taken again. */
  async advance(name: string): Promise<JobStep> {
    const { client } = this.#options;
    const entry = this.#inMemory.get(name) ?? (await this.#read(name));
    // One answer is too little to give a Job up for: it may be deleted already.
    if (!entry) return (await this.#isListed(name)) ? { kind: 'waiting' } : this.#end(name);
    const { name: jobName, namespace: jobNamespace } = entry.successor.metadata;
    const job = await getObject(client, jobs, jobNamespace, jobName).catch(undefinedIfNotFound);
    if (!job) return await this.#create(name, entry);
    if (job.metadata.uid === entry.uid) return await this.#delete(job);
    await this.#remove(name);
    // Our own create, whose answer was lost, is told from somebody else's by the restart's id.
    return createdBy(job, entry) ? { kind: 'created', entry, job } : { kind: 'superseded' };
  }

  async #read(name: string): Promise<JobRecreation | undefined> {
    const { client, namespace } = this.#options;
    const secret = await getObject(client, secrets, namespace, name).catch(undefinedIfNotFound);
    return secret && readEntry(secret);
  }

  async #list(): Promise<readonly KubeObject[]> {
    return await listObjects(this.#options.client, secrets, this.#options.namespace, `${label}=job`);
  }

  async #isListed(name: string): Promise<boolean> {
    return (await this.#list()).some(({ metadata }) => metadata.name === name);
  }

  async #create(name: string, entry: JobRecreation): Promise<JobStep> {
    this.#options.assertLeading();
    try {
      const job = await createObject(this.#options.client, jobs, entry.successor.metadata.namespace, entry.successor);
      await this.#remove(name);
      return { kind: 'created', entry, job };
    } catch (error) {
      if (error instanceof AlreadyExistsError) return { kind: 'waiting' };
      if (!isNamespaceGone(error)) throw error;
      // Somebody deleted the namespace and meant it: a later one of that name is no heir to its Jobs.
      await this.#remove(name);
      return { kind: 'superseded' };
    }
  }

  async #delete({ metadata }: KubeObject): Promise<JobStep> {
    if (metadata.deletionTimestamp === undefined) {
      this.#options.assertLeading();
      const precondition = { uid: metadata.uid, propagationPolicy: 'Background' as const };
      await deleteObject(this.#options.client, jobs, metadata.namespace, metadata.name, precondition).catch(
        undefinedIfNotFound,
      );
    }
    return { kind: 'waiting' };
  }

  async #remove(name: string): Promise<void> {
    if (this.#inMemory.delete(name)) {
      this.#end(name);
      return;
    }
    const options = { propagationPolicy: 'Background' as const };
    try {
      await deleteObject(this.#options.client, secrets, this.#options.namespace, name, options);
    } catch (error) {
      // As with a read: an entry that stays would be carried out, and told of, by whoever leads next.
      if (!(error instanceof NotFoundError) || (await this.#isListed(name))) throw error;
    }
    this.#end(name);
  }

  #found(name: string, entry: { readonly uid: string; readonly job: string }): void {
    this.#open.set(name, entry);
    this.#options.onEntry(name);
  }

  #end(name: string): JobStep {
    this.#open.delete(name);
    return { kind: 'superseded' };
  }
}

function entryName(uid: string): string {
  return `reroll-job-${hash('sha256', uid, 'hex').slice(0, 16)}`;
}

function readEntry(secret: KubeObject): JobRecreation {
  const { name, namespace = '' } = secret.metadata;
  const data = z.object({ [dataKey]: z.string() }).safeParse(secret['data']);
  try {
    const text = gunzipSync(Buffer.from(data.data?.[dataKey] ?? '', 'base64')).toString('utf8');
    return entrySchema.parse(JSON.parse(text));
  } catch (cause) {
    // The cause is left out of the message: it may quote the manifest.
    throw new RerollError(
      `Secret ${namespace}/${name}: its key ${dataKey} is no journal entry of a Job that is being created again; ` +
        'create the Job it was written for if that is missing, then delete the Secret',
      { code: 'UNREADABLE_JOURNAL', retry: 'backoff', cause },
    );
  }
}

function createdBy(job: KubeObject, entry: JobRecreation): boolean {
  const own = entry.successor.metadata.annotations[ownAnnotations.lastRestart];
  return own !== undefined && job.metadata.annotations?.[ownAnnotations.lastRestart] === own;
}
