import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { clientWorld, zeroRandom, type ClientWorld } from '../../shared/kube/client/client.fixture';
import { PermissionProbe } from '../../shared/kube/client/permission-probe';
import { EventRecorder } from '../../shared/kube/client/events';
import { refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import type { HttpRequest } from '../../shared/kube/transport';
import { noHistory } from '../history/history.fixture';
import { Metrics } from '../metrics/metrics';
import { NotLeadingError } from '../apply/restart';
import { JobJournal } from '../apply/job-journal';
import { isUnderWay, JobStore, testStore } from '../apply/job-journal.fixture';
import type { JobRecreation } from '../apply/journal-entry';
import { JobWorker } from './job-worker';
import { Reporter } from '../reporting/reporter';

const entry: JobRecreation = {
  uid: 'old',
  restartId: 'c0ffee00',
  sources: ['cm/app'],
  because: ['ConfigMap app: content changed'],
  successor: { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'migrate', namespace: 'shop', annotations: {} } },
};

let store: JobStore;
let refused: Reply | undefined;
let refusedCreation: Reply | undefined;
let leading: boolean;
let world: ClientWorld;
let found: string[];
let journal: JobJournal;
let worker: JobWorker;
let superseded: (string | undefined)[];
let awaited: Set<string>;
let neverShown: string[];

beforeEach(() => {
  store = new JobStore();
  store.put('/apis/batch/v1/namespaces/shop/jobs/migrate', {
    metadata: { name: 'migrate', namespace: 'shop', uid: 'old' },
  });
  refused = undefined;
  refusedCreation = undefined;
  leading = true;
  found = [];
  const handle = store.handler();
  world = clientWorld((request: HttpRequest, index) => {
    const isCreation = request.method === 'POST' && request.path.includes('/jobs?');
    return refused ?? (isCreation ? refusedCreation : undefined) ?? handle(request, index);
  });
  const { client, clock, logger } = world;
  const events = new EventRecorder({ client, clock, random: zeroRandom, logger, component: 'reroll', instance: 'r' });
  const reporter = new Reporter({
    clock,
    logger,
    metrics: new Metrics({ countByNamespace: false }),
    events,
    history: noHistory,
  });
  journal = new JobJournal({
    client,
    store: testStore(client),
    assertLeading: () => {
      if (!leading) throw new NotLeadingError();
    },
    onEntry: (name) => found.push(name),
    onRecreating: () => undefined,
  });
  superseded = [];
  [awaited, neverShown] = [new Set(), []];
  worker = new JobWorker({
    ...{ journal, reporter, logger, onSuperseded: (_entry, job) => superseded.push(job) },
    isAwaited: (name, job) => awaited.has(`${name} ${job.namespace}/${job.name}`),
    onNeverShown: (name) => neverShown.push(name),
  });
});

const said = (): readonly string[] => world.logger.lines.map(({ level, message }) => `${level}: ${message}`);

describe('an entry', () => {
  beforeEach(async () => await journal.write(entry));

  it('is looked at again soon while its Job is being deleted, and is done and reported when the new one exists', async () => {
    expect(await worker.process(found[0]!)).toEqual({ kind: 'again', afterMs: 250 });
    expect(said()).toEqual([]);
    expect(await worker.process(found[0]!)).toEqual({ kind: 'done' });
    expect(said()).toEqual(['info: Job shop/migrate recreated']);
  });

  it('is looked at less and less often while a finalizer keeps its Job, and waits for it until it is gone', async () => {
    store.slowDeletion = true;
    expect(worker.waitingFor('old')).toBeUndefined();
    const looks: unknown[] = [];
    for (let look = 0; look < 10; look++) looks.push(await worker.process(found[0]!));
    const pausesMs = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000];
    expect(looks).toEqual(pausesMs.map((afterMs) => ({ kind: 'again', afterMs })));
    expect(worker.waitingFor('old')).toBe(found[0]);
    expect(worker.waitingFor('other')).toBeUndefined();
    store.finishDeletions();
    expect(await worker.process(found[0]!)).toEqual({ kind: 'done' });
    expect(worker.waitingFor('old')).toBeUndefined();
  });

  it('is waited for no longer once another process leads', async () => {
    await worker.process(found[0]!);
    leading = false;
    await worker.process(found[0]!);
    expect(worker.waitingFor('old')).toBeUndefined();
  });

  it('that is superseded is done, and only triggers a look at its Job', async () => {
    store.put('/apis/batch/v1/namespaces/shop/jobs/migrate', {
      metadata: { name: 'migrate', namespace: 'shop', uid: 'foreign' },
    });
    expect(await worker.process(found[0]!)).toEqual({ kind: 'done' });
    expect(said()).toEqual([]);
    expect(superseded).toEqual(['shop/migrate']);
  });

  it.each<[string, Reply, object]>([
    ['a failure', refusal(500, 'InternalError'), { kind: 'failed' }],
    [
      'a delay that the server asks for',
      refusal(429, 'TooManyRequests', 'slow', { 'retry-after': '7' }),
      { kind: 'failed', afterMs: 7_000 },
    ],
  ])('is tried again after %s', async (_what, reply, result) => {
    refused = reply;
    expect(await worker.process(found[0]!)).toEqual(result);
    expect(said()).toEqual(['warn: cannot recreate a Job yet; trying again']);
  });

  it('whose Job is deleted and cannot be created is reported in an Event, and counted until it is', async () => {
    await worker.process(found[0]!);
    refusedCreation = refusal(403, 'Forbidden', 'jobs.batch "migrate" is forbidden: exceeded quota: jobs');
    expect(await worker.process(found[0]!)).toEqual({ kind: 'failed' });
    expect(said()).toEqual(['warn: Job shop/migrate was deleted and could not be recreated yet; retrying until it is']);
    expect(worker.notCreated).toBe(1);
    refusedCreation = undefined;
    expect(await worker.process(found[0]!)).toEqual({ kind: 'done' });
    expect(worker.notCreated).toBe(0);
  });

  it('whose Job cannot be created is not counted once another process leads', async () => {
    await worker.process(found[0]!);
    refusedCreation = refusal(500, 'InternalError');
    await worker.process(found[0]!);
    leading = false;
    await worker.process(found[0]!);
    expect(worker.notCreated).toBe(0);
  });

  it('is left to the next leader', async () => {
    leading = false;
    expect(await worker.process(found[0]!)).toEqual({ kind: 'done' });
    expect(said()).toEqual([]);
    expect(isUnderWay(journal, 'old')).toBe(true);
  });
});

describe('a Job that was created, for which others wait', () => {
  const path = '/apis/batch/v1/namespaces/shop/jobs/migrate';
  const later = { kind: 'again', afterMs: 30_000 };
  const look = async () => await worker.process(found[0]!);

  beforeEach(async () => {
    await journal.write(entry);
    awaited.add(`${found[0]!} shop/migrate`);
    await look();
    expect(await look()).toEqual(later);
  });

  it('is looked for until it is shown', async () => {
    expect(await look()).toEqual(later);
    awaited.clear();
    expect(await look()).toEqual({ kind: 'done' });
    expect(said()).toEqual(['info: Job shop/migrate recreated']);
  });

  it('is awaited no longer once it is gone, and not because that is not known', async () => {
    refused = refusal(500, 'InternalError');
    expect([await look(), neverShown]).toEqual([later, []]);
    refused = undefined;
    store.objects.delete(path);
    expect([await look(), neverShown]).toEqual([{ kind: 'done' }, [found[0]!]]);
    expect([said(), superseded]).toEqual([['info: Job shop/migrate recreated'], []]);
  });

  it('is created again if a restore brings back its entry, and a Job that was deleted for that', async () => {
    await journal.write(entry);
    store.put(path, { metadata: { name: 'migrate', namespace: 'shop', uid: 'old' } });
    expect(await look()).toEqual({ kind: 'again', afterMs: 250 });
    expect([await look(), store.createdJobs.length]).toEqual([later, 2]);
  });
});

describe('recovery', () => {
  it('retries with backoff until it succeeds', async () => {
    await journal.write(entry);
    found.length = 0;
    refused = refusal(500, 'InternalError');
    const recovery = worker.recover(
      { ...world, random: { ...zeroRandom, float: () => 1 } },
      new AbortController().signal,
    );
    await world.clock.advance(10_000);
    // At once, then after delays of 0.5, 1, 2 and 4 seconds.
    expect(said()).toHaveLength(5);
    refused = undefined;
    await world.clock.advance(30_000);
    await recovery;
    expect(found).toHaveLength(1);
  });

  it('ends when it is aborted', async () => {
    refused = refusal(500, 'InternalError');
    const stop = new AbortController();
    const recovery = worker.recover({ ...world, random: zeroRandom }, stop.signal);
    await world.clock.settle();
    stop.abort();
    await recovery;
    expect(world.clock.pendingTimers).toBe(0);
  });

  it('that is aborted is not taken for done because it may not look, while the one that followed it is under way', async () => {
    const stop = new AbortController();
    refused = refusal(403, 'Forbidden');
    const asked = jest.spyOn(PermissionProbe.prototype, 'isRightMissing').mockImplementationOnce(async () => {
      stop.abort();
      return await Promise.resolve(true);
    });
    await worker.recover({ ...world, random: zeroRandom }, stop.signal);
    await world.clock.settle();
    asked.mockRestore();
    expect(journal.standing({ uid: 'old', namespace: 'shop', name: 'migrate' })).toBe('busy');
  });
});
