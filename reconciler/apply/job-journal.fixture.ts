import type { KubeClient } from '../../shared/kube/client/client';
import { ConnectionError } from '../../shared/kube/errors';
import { refusal, noAnswer, type Reply } from '../../shared/kube/transport/fake-transport';
import type { KubeObject } from '../../shared/kube/client/objects';
import type { HttpRequest } from '../../shared/kube/transport';
import type { JobJournal } from './job-journal';
import { JournalStore, type RefusedEntry } from './journal-store';

/**
 * A fault that hits request number `index`, counted from 0: the process dies before it sends the request or before it
 * reads the answer, only the answer is lost, the server answers 503 (`refused`), or something in between answers 404.
 */
export interface Mishap {
  readonly index: number;
  readonly what: 'killed-before' | 'killed-after' | 'answer-lost' | 'refused' | 'not-found';
}

/** Jobs, Secrets and ConfigMaps of a cluster, stored as an API server stores them. Several processes may share it. */
export class JobStore {
  readonly objects = new Map<string, KubeObject>();
  /** Paths of the Jobs that were created, in order. */
  readonly createdJobs: string[] = [];
  /** A deleted Job stays, with a deletionTimestamp, until {@link finishDeletions}. */
  slowDeletion = false;
  /** The most objects, with their contents, that one answer has had. */
  mostAtOnce = 0;
  /** Runs just before a request is processed. */
  before: (request: HttpRequest) => void = () => undefined;
  #count = 0;

  /** The connection of one process to the store. */
  handler(mishap?: Mishap): (request: HttpRequest, index: number) => Reply | Promise<Reply> {
    let dead = false;
    return async (request, index) => {
      const what = mishap?.index === index ? mishap.what : undefined;
      if (what === 'refused') return refusal(503, 'ServiceUnavailable');
      if (what === 'not-found') return refusal(404, 'NotFound');
      dead ||= what === 'killed-before';
      if (dead) return await noAnswer();
      this.before(request);
      const reply = this.#answer(request);
      dead ||= what === 'killed-after';
      if (dead) return await noAnswer();
      if (what === 'answer-lost') throw new ConnectionError('read ECONNRESET');
      return reply;
    };
  }

  put(path: string, object: object): KubeObject {
    this.#count++;
    const metadata: Partial<KubeObject['metadata']> & { readonly name: string } = (object as KubeObject).metadata;
    const uid = metadata.uid ?? `uid-${String(this.#count)}`;
    const stored = { ...object, metadata: { ...metadata, uid, resourceVersion: String(this.#count) } };
    this.objects.set(path, stored);
    return stored;
  }

  finishDeletions(): void {
    for (const [path, { metadata }] of this.objects) if (metadata.deletionTimestamp) this.objects.delete(path);
  }

  #answer({ method, path, headers, body }: HttpRequest): Reply {
    const url = new URL(path, 'https://server');
    const json = (body ? JSON.parse(body.toString()) : {}) as KubeObject & { preconditions?: Preconditions };
    const at = method === 'POST' ? `${url.pathname}/${json.metadata.name}` : url.pathname;
    const found = this.objects.get(at);
    switch (method) {
      case 'POST':
        if (found) return refusal(409, 'AlreadyExists');
        if (at.includes('/jobs/')) this.createdJobs.push(at);
        return { status: 201, body: this.put(at, json) };
      case 'PUT':
        if (!found) return absent(at);
        if (isOther(found, { resourceVersion: json.metadata.resourceVersion })) return refusal(409, 'Conflict');
        return { body: this.put(at, { ...json, metadata: { ...json.metadata, uid: found.metadata.uid } }) };
      case 'GET':
        if (url.searchParams.has('labelSelector')) return { body: this.#list(at, url, headers['accept']) };
        return found ? { body: found } : absent(at);
      case 'DELETE':
        if (!found) return absent(at);
        if (isOther(found, json.preconditions ?? {})) return refusal(409, 'Conflict');
        if (this.slowDeletion && at.includes('/jobs/')) {
          this.put(at, { ...found, metadata: { ...found.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
        } else this.objects.delete(at);
        return { body: { kind: 'Status', status: 'Success' } };
      case 'PATCH':
        return refusal(415, 'UnsupportedMediaType');
    }
  }

  #list(collection: string, url: URL, accept = ''): object {
    const all = this.#labelled(collection, url);
    if (accept.includes('PartialObjectMetadataList')) return { items: all.map(({ metadata }) => ({ metadata })) };
    const from = Number(url.searchParams.get('continue'));
    const to = from + Number(url.searchParams.get('limit') ?? all.length);
    const items = all.slice(from, to);
    this.mostAtOnce = Math.max(this.mostAtOnce, items.length);
    return { metadata: { ...(to < all.length && { continue: String(to) }) }, items };
  }

  #labelled(collection: string, url: URL): readonly KubeObject[] {
    const [name = '', value] = url.searchParams.get('labelSelector')?.split('=') ?? [];
    return [...this.objects]
      .filter(([path, { metadata }]) => path.startsWith(`${collection}/`) && metadata.labels?.[name] === value)
      .map(([, object]) => object);
  }
}

/** The answer of an API server names the object, and that of a proxy does not. */
function absent(path: string): Reply {
  const details = { name: path.slice(path.lastIndexOf('/') + 1) };
  return { status: 404, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', details } };
}

interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

function isOther({ metadata }: KubeObject, { uid, resourceVersion }: Preconditions): boolean {
  return (
    (uid ?? metadata.uid) !== metadata.uid || (resourceVersion ?? metadata.resourceVersion) !== metadata.resourceVersion
  );
}

export const testKey = Buffer.alloc(32, 7);

/** A journal store in the namespace `reroll`. */
export function testStore(
  client: KubeClient,
  loadKey: () => Promise<Buffer> = async () => await Promise.resolve(testKey),
  onRefusedEntry: (entry: RefusedEntry) => void = () => undefined,
  assertLeading: () => void = () => undefined,
): JournalStore {
  return new JournalStore({ client, namespace: 'reroll', loadKey, onRefusedEntry, assertLeading });
}

/** Whether the Job shop/migrate of this uid is being recreated. */
export function isUnderWay(journal: JobJournal, uid: string): boolean {
  return journal.standing({ uid, namespace: 'shop', name: 'migrate' }) === 'under-way';
}
