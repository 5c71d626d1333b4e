import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import type { FakeClock } from '../../shared/runtime/fake-clock';
import { NotLeadingError } from './restart';
import { JobJournal, type JobStep } from './job-journal';
import { isUnderWay, JobStore, testStore, type Mishap } from './job-journal.fixture';
import { entryName, jobDigest, sealEntry, type EntryClaim, type JobRecreation } from './journal-entry';
import type { RefusedEntry } from './journal-store';

const jobPath = '/apis/batch/v1/namespaces/shop/jobs/migrate';
const secretsPath = '/api/v1/namespaces/reroll/secrets';

function entryOf(uid: string, restartId = 'first'): JobRecreation {
  return {
    uid,
    restartId,
    sources: ['cm/app'],
    because: ['ConfigMap app: content changed'],
    successor: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: 'migrate',
        namespace: 'shop',
        annotations: { 'reroll.dev/last-restart': restartId },
      },
      spec: { password: 'hunter2' },
    },
  };
}

interface Process {
  readonly clock: FakeClock;
  readonly journal: JobJournal;
  /** Names of entries, in the order they were reported. */
  readonly entries: string[];
  readonly refused: RefusedEntry[];
  readonly requests: readonly { readonly method: string; readonly path: string }[];
  leading: boolean;
}

let store: JobStore;

beforeEach(() => {
  store = new JobStore();
  store.put(jobPath, { metadata: { name: 'migrate', namespace: 'shop', uid: 'old' } });
});

function launch(mishap?: Mishap): Process {
  const { client, transport, clock } = clientWorld(store.handler(mishap));
  const entries: string[] = [];
  const refused: RefusedEntry[] = [];
  const assertLeading = (): void => {
    if (!process.leading) throw new NotLeadingError();
  };
  const process: Process = {
    clock,
    entries,
    refused,
    requests: transport.requests,
    leading: true,
    journal: new JobJournal({
      client,
      store: testStore(client, undefined, (entry) => refused.push(entry), assertLeading),
      assertLeading,
      onEntry: (name) => entries.push(name),
      onRecreating: () => undefined,
    }),
  };
  return process;
}

/** Advances each reported entry until it is done, and retries failed steps. Returns the steps. */
async function carryOut({ journal, entries }: Process): Promise<readonly JobStep[]> {
  const steps: JobStep[] = [];
  for (const name of entries.splice(0)) {
    for (let tries = 0; tries < 20; tries++) {
      const step = await journal.advance(name).catch(() => undefined);
      if (!step) continue;
      steps.push(step);
      if (step.kind !== 'waiting') break;
      store.finishDeletions();
    }
  }
  return steps;
}

function entriesLeft(): number {
  return [...store.objects.keys()].filter((path) => path.startsWith(secretsPath)).length;
}

function jobNow() {
  return store.objects.get(jobPath);
}

describe('a recreation', () => {
  it('writes, deletes, creates, removes, in this order', async () => {
    const process = launch();
    await process.journal.write(entryOf('old'));
    expect(isUnderWay(process.journal, 'old')).toBe(true);
    const isRecreating = () => process.journal.isRecreating('shop', 'migrate');
    expect([isRecreating(), process.journal.isRecreating('shop', 'other')]).toEqual([true, false]);
    const steps = await carryOut(process);
    expect(isRecreating()).toBe(false);
    expect(steps.map(({ kind }) => kind)).toEqual(['waiting', 'created']);
    const writes = process.requests.filter(({ method }) => method !== 'GET');
    expect(writes.map(({ method, path }) => `${method} ${path.split('?')[0]!.replace(/-[0-9a-f]{16}$/, '')}`)).toEqual([
      `POST ${secretsPath}`,
      `PUT ${secretsPath}/reroll-job`,
      `DELETE ${jobPath}`,
      'POST /apis/batch/v1/namespaces/shop/jobs',
      `DELETE ${secretsPath}/reroll-job`,
    ]);
    expect(jobNow()).toMatchObject(entryOf('old').successor);
    expect(entriesLeft()).toBe(0);
    expect(isUnderWay(process.journal, 'old')).toBe(false);
    expect(steps.at(-1)).toMatchObject({ entry: { restartId: 'first', sources: ['cm/app'] }, job: jobNow() });
  });

  it('waits for a Job that is slow to go, and requests its deletion once', async () => {
    store.slowDeletion = true;
    const { journal, entries, requests } = launch();
    await journal.write(entryOf('old'));
    for (let n = 0; n < 5; n++) expect(await journal.advance(entries[0]!)).toEqual({ kind: 'waiting' });
    expect(requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
    store.finishDeletions();
    expect(await journal.advance(entries[0]!)).toMatchObject({ kind: 'created' });
  });

  it('removes its entry although one answer says that there is none', async () => {
    const process = launch({ index: 8, what: 'not-found' });
    await process.journal.write(entryOf('old'));
    const steps = await carryOut(process);
    expect(steps.map(({ kind }) => kind)).toEqual(['waiting', 'created']);
    expect(entriesLeft()).toBe(0);
    expect(store.createdJobs).toEqual([jobPath]);
  });

  it('hides the manifest from a list of Secrets by label', async () => {
    const { journal } = launch();
    await journal.write(entryOf('old'));
    expect(JSON.stringify([...store.objects.values()])).not.toContain('hunter2');
  });
});

describe('a process that dies', () => {
  /**
   * Requests of an undisturbed recreation: 2 to write the entry; 3 to read entry and Job and to delete the Job; 4 to
   * read both again, to create the new Job and to remove the entry.
   */
  const requests = 9;
  const mishaps = (['killed-before', 'killed-after', 'answer-lost', 'refused', 'not-found'] as const).flatMap((what) =>
    Array.from({ length: requests }, (_, index) => ({ what, index })),
  );

  it('makes as many requests as are tried below', async () => {
    const process = launch();
    await process.journal.write(entryOf('old'));
    await carryOut(process);
    expect(process.requests).toHaveLength(requests);
  });

  for (const slowDeletion of [false, true]) {
    it.each(mishaps)(
      `or stumbles ($what, request $index${slowDeletion ? ', slow deletion' : ''}) leaves one successor, whoever continues`,
      async (mishap) => {
        store.slowDeletion = slowDeletion;
        const first = launch(mishap);
        const life = (async () => {
          await first.journal.write(entryOf('old')).catch(async () => await first.journal.write(entryOf('old')));
          await carryOut(first);
        })();
        // A killed process gets no answer, so its promise never settles.
        await Promise.race([life, first.clock.settle()]);

        const second = launch();
        await second.journal.recover();
        const known = entriesLeft();
        expect(second.entries).toHaveLength(known);
        expect(isUnderWay(second.journal, 'old')).toBe(known === 1);
        await carryOut(second);
        // If no entry counted, the old Job is still there and is planned again.
        if (jobNow()?.metadata.uid === 'old') await second.journal.write(entryOf('old', 'second'));
        store.finishDeletions();
        await carryOut(second);

        expect(store.createdJobs).toEqual([jobPath]);
        expect(jobNow()?.metadata.uid).not.toBe('old');
        expect(jobNow()?.metadata.deletionTimestamp).toBeUndefined();
        expect(entriesLeft()).toBe(0);
      },
    );
  }

  it('after the create is reported by the process that finds the entry', async () => {
    const first = launch({ index: 8, what: 'killed-before' });
    await first.journal.write(entryOf('old'));
    const name = first.entries[0]!;
    await first.journal.advance(name);
    void first.journal.advance(name);
    await first.clock.settle();
    expect(store.createdJobs).toHaveLength(1);
    const second = launch();
    await second.journal.recover();
    expect(await carryOut(second)).toMatchObject([{ kind: 'created', entry: { restartId: 'first' } }]);
  });
});

describe('two processes', () => {
  it('that take the same steps at the same time create one Job', async () => {
    const first = launch();
    await first.journal.write(entryOf('old'));
    const second = launch();
    await second.journal.recover();
    await Promise.all([carryOut(first), carryOut(second)]);
    expect(store.createdJobs).toEqual([jobPath]);
    expect(entriesLeft()).toBe(0);
  });

  it('do not both act: without the lease nothing is deleted or created', async () => {
    const process = launch();
    await process.journal.write(entryOf('old'));
    process.leading = false;
    await expect(process.journal.advance(process.entries[0]!)).rejects.toThrow(NotLeadingError);
    expect(jobNow()?.metadata.uid).toBe('old');
    // The new leader may have deleted the Job: this process must not take that for a deletion by the owner.
    store.objects.delete(jobPath);
    await expect(process.journal.advance(process.entries[0]!)).rejects.toThrow(NotLeadingError);
    expect(store.createdJobs).toEqual([]);
    expect(entriesLeft()).toBe(1);
  });
});

it('a Job that another leader has created is left to that one to report', async () => {
  const process = launch();
  await process.journal.write(entryOf('old'));
  store.put(jobPath, { metadata: { ...entryOf('old').successor.metadata, uid: 'new' } });
  process.leading = false;
  await expect(process.journal.advance(process.entries[0]!)).rejects.toThrow(NotLeadingError);
  expect(entriesLeft()).toBe(1);
});

describe('a process that leads again', () => {
  it('knows that another leader ended an entry that it had left open', async () => {
    const first = launch();
    await first.journal.recover();
    await first.journal.write(entryOf('old'));
    first.leading = false;
    const [name = ''] = first.entries.splice(0);
    await expect(first.journal.advance(name)).rejects.toThrow(NotLeadingError);
    const second = launch();
    await second.journal.recover();
    await carryOut(second);
    first.leading = true;
    const { uid } = jobNow()!.metadata;
    expect(first.journal.standing({ uid, namespace: 'shop', name: 'migrate' })).toBe('busy');
    await first.journal.recover();
    await carryOut(first);
    expect(first.journal.standing({ uid, namespace: 'shop', name: 'migrate' })).toBe('free');
    expect(store.createdJobs).toEqual([jobPath]);
  });

  it('does not bring back a Job that its owner deleted in the term of another, for an entry that is only in memory', async () => {
    const process = launch();
    // Somebody else's Secret has the name of the entry, so that cannot be stored.
    store.put(`${secretsPath}/${entryName('old')}`, sealEntry(Buffer.alloc(32, 1), 'reroll', entryOf('old')));
    await process.journal.write(entryOf('old'));
    process.leading = false;
    for (const name of process.entries.splice(0)) {
      await expect(process.journal.advance(name)).rejects.toThrow(NotLeadingError);
    }
    store.objects.delete(jobPath);
    process.leading = true;
    await process.journal.recover();
    await carryOut(process);
    expect(store.createdJobs).toEqual([]);
  });
});

describe('a process that loses the lead while it writes an entry', () => {
  it('leaves a draft, so no later leader brings back a Job that its owner has deleted by then', async () => {
    const first = launch();
    store.before = ({ method, path }) => {
      if (method === 'POST' && path.startsWith(secretsPath)) first.leading = false;
    };
    await expect(first.journal.write(entryOf('old'))).rejects.toThrow(NotLeadingError);
    expect(entriesLeft()).toBe(1);
    store.objects.delete(jobPath);
    const later = launch();
    await later.journal.recover();
    await carryOut(later);
    expect([store.createdJobs, entriesLeft()]).toEqual([[], 0]);
  });
});

describe('an entry', () => {
  it('replaces a draft of what was planned before', async () => {
    const process = launch({ index: 1, what: 'refused' });
    await expect(process.journal.write(entryOf('old', 'first'))).rejects.toMatchObject({ status: 503 });
    await process.journal.write(entryOf('old', 'second'));
    expect(entriesLeft()).toBe(1);
    await carryOut(process);
    expect(jobNow()?.metadata.annotations).toEqual({ 'reroll.dev/last-restart': 'second' });
    expect(store.createdJobs).toHaveLength(1);
  });

  it('does not replace one that counts, because its Job may already be deleted', async () => {
    const former = launch();
    await former.journal.write(entryOf('old', 'first'));
    const process = launch();
    await process.journal.write(entryOf('old', 'second'));
    store.objects.delete(jobPath);
    await carryOut(process);
    expect(jobNow()?.metadata.annotations).toEqual({ 'reroll.dev/last-restart': 'first' });
    expect([entriesLeft(), store.createdJobs.length]).toEqual([0, 1]);
  });

  it.each<[string, Record<string, string> | undefined]>([
    ['has no annotations', undefined],
    ['was restarted for another reason', { 'reroll.dev/last-restart': 'other' }],
  ])("ends where somebody else's Job of that name %s", async (_what, annotations) => {
    const process = launch();
    await process.journal.write(entryOf('old'));
    store.put(jobPath, { metadata: { name: 'migrate', namespace: 'shop', uid: 'foreign', annotations } });
    expect(await carryOut(process)).toEqual([{ kind: 'superseded' }]);
    expect(jobNow()?.metadata.uid).toBe('foreign');
    expect([entriesLeft(), store.createdJobs.length]).toEqual([0, 0]);
  });

  it("without a restart of its own is not considered done if somebody else's Job has none either", async () => {
    const process = launch();
    const { successor, ...entry } = entryOf('old');
    await process.journal.write({
      ...entry,
      successor: { ...successor, metadata: { ...successor.metadata, annotations: {} } },
    });
    store.put(jobPath, { metadata: { name: 'migrate', namespace: 'shop', uid: 'foreign' } });
    expect(await carryOut(process)).toEqual([{ kind: 'superseded' }]);
  });

  it.each([
    ['its status alone', { status: { active: 2 } }, 'created'],
    ['its author', { spec: { suspend: true } }, 'superseded'],
  ])('deletes no version that it has not looked at: one changed by %s', async (_whom, change, end) => {
    const process = launch();
    const old = jobNow()!;
    await process.journal.write({ ...entryOf('old'), madeFrom: jobDigest(old) });
    let deletions = 0;
    store.before = ({ method, path }) => {
      if (method === 'DELETE' && path.includes('/jobs/') && deletions++ === 0)
        store.put(jobPath, { ...old, ...change });
    };
    await expect(process.journal.advance(process.entries[0]!)).rejects.toMatchObject({ status: 409 });
    expect((await carryOut(process)).map(({ kind }) => kind).at(-1)).toBe(end);
    expect(jobNow()?.metadata.uid === 'old').toBe(end === 'superseded');
    expect([deletions, entriesLeft()]).toEqual([end === 'created' ? 2 : 1, 0]);
  });

  it('never deletes a Job that replaced its own between look and delete, also if a restored etcd gave it the same version', async () => {
    const process = launch();
    await process.journal.write(entryOf('old'));
    const old = jobNow()!;
    store.before = ({ method }) => {
      if (method === 'DELETE') store.objects.set(jobPath, { ...old, metadata: { ...old.metadata, uid: 'foreign' } });
    };
    await expect(process.journal.advance(process.entries[0]!)).rejects.toMatchObject({ status: 409 });
    expect(jobNow()?.metadata.uid).toBe('foreign');
    expect(await carryOut(process)).toEqual([{ kind: 'superseded' }]);
  });

  it('looks again if a Job was created between look and create', async () => {
    const process = launch();
    await process.journal.write(entryOf('old'));
    await process.journal.advance(process.entries[0]!);
    store.before = ({ method }) => {
      if (method === 'POST') store.put(jobPath, { metadata: { name: 'migrate', namespace: 'shop', uid: 'foreign' } });
    };
    expect(await process.journal.advance(process.entries[0]!)).toEqual({ kind: 'waiting' });
    expect(await carryOut(process)).toEqual([{ kind: 'superseded' }]);
    expect(store.createdJobs).toEqual([]);
  });

  it('ends if its Secret is gone', async () => {
    const process = launch();
    await process.journal.write(entryOf('old'));
    for (const path of store.objects.keys()) if (path.startsWith(secretsPath)) store.objects.delete(path);
    expect(await carryOut(process)).toEqual([{ kind: 'superseded' }]);
    expect(isUnderWay(process.journal, 'old')).toBe(false);
  });

  it('whose creation is refused is kept and retried', async () => {
    const process = launch({ index: 7, what: 'refused' });
    await process.journal.write(entryOf('old'));
    const name = process.entries[0]!;
    await process.journal.advance(name);
    expect(await process.journal.advance(name)).toMatchObject({ kind: 'not-created', error: { status: 503 } });
    expect(entriesLeft()).toBe(1);
    expect(await process.journal.advance(name)).toMatchObject({ kind: 'created' });
  });
});

describe('an entry whose removal is stored, and the answer is lost', () => {
  it.each([
    ['created', 8],
    ['found, after an earlier answer was lost', 7],
  ])('after its Job was %s, is told to have created it', async (how, index) => {
    const process = launch({ index, what: 'answer-lost' });
    await process.journal.write(entryOf('old'));
    if (how !== 'created') {
      await process.journal.advance(process.entries[0]!);
      store.put(jobPath, { metadata: { ...entryOf('old').successor.metadata, uid: 'new' } });
    }
    const steps = await carryOut(process);
    expect(entriesLeft()).toBe(0);
    expect(steps.at(-1)).toMatchObject({ kind: 'created', job: { metadata: { name: 'migrate' } } });
  });
});

describe('an entry whose write is in doubt', () => {
  const standing = ({ journal }: Process) => journal.standing({ uid: 'old', namespace: 'shop', name: 'migrate' });

  it.each<[Mishap['what'], number]>([
    ['answer-lost', 0],
    ['refused', 0],
    ['not-found', 0],
    ['answer-lost', 1],
    ['refused', 1],
    ['not-found', 1],
  ])('(%s, request %i) is looked for, taken back, and planned anew', async (what, index) => {
    const process = launch({ index, what });
    process.journal.recoverOwn();
    await expect(process.journal.write(entryOf('old'))).rejects.toThrow();
    expect(standing(process)).toBe('in-doubt');
    expect(process.journal.isRecreating('shop', 'migrate')).toBe(false);
    expect(await carryOut(process)).toEqual([{ kind: 'superseded' }]);
    expect([standing(process), entriesLeft(), jobNow()?.metadata.uid]).toEqual(['free', 0, 'old']);
  });

  it('is never used by the next leader, although it is stored after all Jobs are gone', async () => {
    const process = launch({ index: 1, what: 'killed-before' });
    void process.journal.write(entryOf('old'));
    await process.clock.settle();
    expect(entriesLeft()).toBe(1);
    store.objects.delete(jobPath);
    const next = launch();
    await next.journal.recover();
    expect(await carryOut(next)).toEqual([{ kind: 'superseded' }]);
    expect([entriesLeft(), store.createdJobs.length]).toEqual([0, 0]);
  });
});

describe('a Job that its owner deletes', () => {
  it.each<[string, () => void]>([
    ['is gone', () => store.objects.delete(jobPath)],
    [
      'is going',
      () => {
        const { metadata } = jobNow()!;
        store.put(jobPath, { metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
      },
    ],
  ])('after its entry was written, and before we did, stays away: it %s', async (_what, deleted) => {
    const process = launch();
    await process.journal.write(entryOf('old'));
    deleted();
    expect(await carryOut(process)).toEqual([{ kind: 'superseded' }]);
    store.finishDeletions();
    expect([entriesLeft(), store.createdJobs.length, jobNow()]).toEqual([0, 0, undefined]);
  });

  it.each(['recover', 'recoverOwn'] as const)(
    'cannot be distinguished from one that another leader deleted meanwhile (%s)',
    async (how) => {
      const first = launch();
      await first.journal.recover();
      await first.journal.write(entryOf('old'));
      const [name = ''] = first.entries;
      const second = launch();
      await second.journal.recover();
      await second.journal.advance(name);
      expect(jobNow()).toBeUndefined();
      await first.journal[how]();
      expect(await carryOut(first)).toMatchObject([{ kind: 'created' }, { kind: 'superseded' }]);
      expect(store.createdJobs).toEqual([jobPath]);
    },
  );
});

describe('a search for entries', () => {
  it('that a later one has overtaken counts no more: its answer may be from before another leader wrote an entry', async () => {
    let answer = (): void => undefined;
    const { client } = clientWorld(store.handler());
    const journalStore = testStore(client);
    const none = new Map<string, EntryClaim>();
    const search = jest.spyOn(journalStore, 'recover');
    search.mockReturnValueOnce(new Promise((resolve) => (answer = () => resolve(none))));
    search.mockReturnValueOnce(new Promise(() => undefined));
    const journal = new JobJournal({
      ...{ client, store: journalStore, onEntry: () => undefined, onRecreating: () => undefined },
      assertLeading: () => undefined,
    });
    const overtaken = journal.recover();
    void journal.recover();
    answer();
    await overtaken;
    expect(journal.standing({ uid: 'old', namespace: 'shop', name: 'migrate' })).toBe('busy');
  });
});

describe('a Secret that is not an entry of ours', () => {
  const forged = (): object => {
    const { metadata, ...rest } = sealEntry(Buffer.alloc(32, 1), 'reroll', entryOf('old', 'forged'));
    return { ...rest, metadata };
  };
  const forgedPath = `${secretsPath}/${entryName('old')}`;

  it("is not executed, and blocks neither its Job nor the Job's name", async () => {
    store.put(forgedPath, forged());
    store.objects.delete(jobPath);
    const process = launch();
    await process.journal.recover();
    expect(process.entries).toEqual([]);
    expect(process.journal.standing({ uid: 'old', namespace: 'shop', name: 'migrate' })).toBe('free');
    expect(process.refused).toMatchObject([{ name: entryName('old'), job: 'shop/migrate', why: 'wrong-mac' }]);
    expect([store.createdJobs, entriesLeft()]).toEqual([[], 1]);
  });

  it('is not carried out even if it has the name of an open entry', async () => {
    const process = launch();
    await process.journal.write(entryOf('old'));
    await process.journal.advance(process.entries[0]!);
    store.put(forgedPath, forged());
    expect(await carryOut(process)).toEqual([{ kind: 'superseded' }]);
    expect([store.createdJobs, entriesLeft()]).toEqual([[], 1]);
    expect(isUnderWay(process.journal, 'old')).toBe(false);
  });

  it('is not overwritten by a recreation of that name, which is then kept in memory', async () => {
    store.put(forgedPath, forged());
    const before = store.objects.get(forgedPath);
    const process = launch();
    await process.journal.recover();
    await process.journal.write(entryOf('old'));
    expect((await carryOut(process)).map(({ kind }) => kind)).toEqual(['waiting', 'created']);
    expect(jobNow()?.metadata.annotations).toEqual({ 'reroll.dev/last-restart': 'first' });
    expect(store.objects.get(forgedPath)).toBe(before);
    expect(process.refused).toHaveLength(1);
    expect(isUnderWay(process.journal, 'old')).toBe(false);
  });
});

describe('a Job that may be planned', () => {
  const standing = (process: Process, uid: string, name = 'migrate') =>
    process.journal.standing({ uid, namespace: 'shop', name });

  it('does not exist before the journal was read', async () => {
    const process = launch();
    expect(standing(process, 'new')).toBe('busy');
    await process.journal.recover();
    expect(standing(process, 'new')).toBe('free');
  });

  it.each(['written', 'recovered'])('is not one whose name has an open entry, %s', async (how) => {
    const writer = launch();
    await writer.journal.recover();
    await writer.journal.write(entryOf('old'));
    const process = how === 'written' ? writer : launch();
    if (process !== writer) await process.journal.recover();
    expect([standing(process, 'old'), standing(process, 'new'), standing(process, 'new', 'other')]).toEqual([
      'under-way',
      'busy',
      'free',
    ]);
    await carryOut(process);
    expect(standing(process, 'new')).toBe('free');
  });
});

describe('recovery', () => {
  it('finds each entry, and no other Secret', async () => {
    const first = launch();
    await first.journal.write(entryOf('old'));
    await first.journal.write(entryOf('older'));
    store.put(`${secretsPath}/reroll-digest-key`, { metadata: { name: 'reroll-digest-key', namespace: 'reroll' } });
    const second = launch();
    await second.journal.recover();
    expect(second.entries.toSorted()).toEqual(first.entries.toSorted());
    expect(['old', 'older', 'other'].map((uid) => isUnderWay(second.journal, uid))).toEqual([true, true, false]);
  });
});
