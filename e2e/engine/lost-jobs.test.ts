import { beforeEach, describe, expect, it } from '@jest/globals';
import { createObject, type KubeObject } from '../../shared/kube/client/objects';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { AdmissionHook } from '../apiserver/admission';
import { configMap, cronJob, fromConfigMap, job } from '../apiserver/cluster';
import type { FaultTarget } from '../apiserver/faults';
import { engineUser, Harness, handoverLease } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const app = configMap({ name: 'app', data: { color: 'red' } });
const uses = { annotations: auto, envFrom: [fromConfigMap('app')] };
const migrate = job({ name: 'migrate', ...uses });
const longAfterMs = 1_200_000;

/** The operation on Jobs that the cluster refuses to the engine, if any. */
let refused: 'CREATE' | 'dry run of CREATE' | undefined;
const policy: AdmissionHook = {
  name: 'only-ci.example.com',
  review: ({ operation, kind, user, dryRun }) => {
    const isMeant = operation === 'CREATE' && kind.kind === 'Job' && user === engineUser;
    const isRefused = refused === (dryRun ? 'dry run of CREATE' : 'CREATE');
    return isMeant && isRefused ? { allowed: false, message: 'only ci may create Jobs' } : { allowed: true };
  },
};

let harness: Harness;

beforeEach(() => {
  refused = undefined;
  harness = new Harness({ admission: [policy] });
  harness.leaseTimings = handoverLease;
  harness.seed(app, migrate);
});

function births(): number {
  return harness.writesOf('Job', 'migrate').filter(({ type }) => type === 'ADDED').length;
}

function entriesLeft(): number {
  return harness.objects('Secret').filter(({ metadata: { name } }) => name.startsWith('reroll-job-')).length;
}

/** The distinct Events: Reroll repeats an Event as long as its problem lasts. */
function events(): readonly string[] {
  const told = harness
    .objects('Event')
    .map((event) => `${String(event['reason'])}: ${String(event['message'] ?? event['note'])}`);
  return [...new Set(told)];
}

const isWriteOfEntry = ({ method, pathname }: FaultTarget): boolean =>
  (method === 'POST' && pathname.endsWith('/secrets')) || (method === 'PUT' && pathname.includes('/reroll-job-'));

describe.each([
  ['first', 'POST'],
  ['second', 'PUT'],
])('a Job whose %s write of a journal entry is stored, and the answer is lost', (_which, method) => {
  beforeEach(async () => {
    await harness.start();
    harness.faults.add({
      match: (target) => target.method === method && isWriteOfEntry(target),
      times: 1,
      fault: { kind: 'reset', when: 'after' },
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(1_050);
  });

  it('is not recreated, even much later by another process, if the change is reverted', async () => {
    await harness.edit('ConfigMap', 'app', { color: 'red' });
    await harness.clock.advance(longAfterMs);
    expect([births(), entriesLeft()]).toEqual([1, 0]);
    await harness.start({ identity: 'reroll-1' });
    await harness.clock.advance(longAfterMs);
    expect(births()).toBe(1);
  });

  it('is not recreated if its owner deletes it', async () => {
    await harness.delete('Job', 'migrate');
    await harness.clock.advance(60_000);
    await harness.start({ identity: 'reroll-1' });
    await harness.clock.advance(60_000);
    expect([harness.objects('Job'), entriesLeft()]).toEqual([[], 0]);
  });

  it('is recreated once if the change stays', async () => {
    await harness.clock.advance(60_000);
    expect([births(), entriesLeft()]).toEqual([2, 0]);
  });
});

it('a Job that its owner deletes between two processes is not recreated if its journal entry was only begun', async () => {
  const first = await harness.start();
  harness.faults.add({
    match: (target) => target.method === 'PUT' && isWriteOfEntry(target),
    fault: { kind: 'half-open' },
  });
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(5_000);
  first.kill();
  expect(entriesLeft()).toBe(1);
  await harness.delete('Job', 'migrate');
  await harness.start({ identity: 'reroll-1' });
  await harness.clock.advance(longAfterMs);
  expect([harness.objects('Job'), entriesLeft()]).toEqual([[], 0]);
});

it('a Job that was recreated is reported, though the answer to the removal of its journal entry is lost', async () => {
  await harness.start();
  harness.faults.add({
    match: ({ method, pathname }) => method === 'DELETE' && pathname.includes('/secrets/reroll-job-'),
    times: 1,
    fault: { kind: 'reset', when: 'after' },
  });
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(60_000);
  expect([births(), entriesLeft()]).toEqual([2, 0]);
  expect(events()).toEqual([expect.stringMatching(/^Reloaded: /)]);
});

describe('a Job whose recreation is refused', () => {
  it('is not deleted, is reported in an Event, and is recreated once that is allowed', async () => {
    refused = 'dry run of CREATE';
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(600_000);
    expect([births(), harness.objects('Job').length, entriesLeft()]).toEqual([1, 1, 0]);
    expect(events()).toEqual([expect.stringMatching(/^ReloadFail: .*only ci may create Jobs/)]);
    refused = undefined;
    await harness.clock.advance(120_000);
    expect([births(), harness.objects('Job').length]).toEqual([2, 1]);
  });

  it('by a full quota is not deleted either', async () => {
    harness.server.quota.limit('jobs', 'default', harness.server.kindOf('Job'), 1);
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(600_000);
    expect([births(), harness.objects('Job').length, entriesLeft()]).toEqual([1, 1, 0]);
    expect(events()).toEqual([expect.stringMatching(/^ReloadFail: .*exceeded quota: jobs/)]);
  });

  it('after its deletion is kept in the journal, reported and counted, also by the next process', async () => {
    refused = 'CREATE';
    const first = await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(600_000);
    expect([harness.objects('Job').length, entriesLeft()]).toEqual([0, 1]);
    expect(events()).toEqual([
      expect.stringMatching(/^ReloadFail: deleted, and not recreated until this is fixed: .*only ci may create Jobs/),
    ]);
    expect(await first.metrics.registry.text()).toContain('reroll_jobs_not_created 1');
    await first.stop();
    const second = await harness.start({ identity: 'reroll-1' });
    await harness.clock.advance(60_000);
    expect(await second.metrics.registry.text()).toContain('reroll_jobs_not_created 1');
    refused = undefined;
    await harness.clock.advance(120_000);
    expect([births(), harness.objects('Job').length, entriesLeft()]).toEqual([2, 1, 0]);
    expect(await second.metrics.registry.text()).toContain('reroll_jobs_not_created 0');
  });
});

describe('if `blockOwnerDeletion` requires permission for the finalizers of the owner', () => {
  const enforcement: AdmissionHook = {
    name: 'owner-references.example.com',
    review: ({ operation, user, object }) => {
      const isAsked = JSON.stringify(object ?? {}).includes('"blockOwnerDeletion":true');
      const message =
        "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";
      return operation === 'CREATE' && user === engineUser && isAsked ? { allowed: false, message } : { allowed: true };
    },
  };

  it('a CronJob is run, and a Job that has an owner is recreated', async () => {
    harness = new Harness({ admission: [enforcement] });
    harness.seed(app, cronJob({ name: 'report', ...uses }));
    const owner = {
      apiVersion: 'example.com/v1',
      kind: 'Migration',
      name: 'm',
      uid: '11111111-1111-4111-8111-111111111111',
    };
    const owned = {
      ...migrate,
      metadata: { ...migrate.metadata, ownerReferences: [{ ...owner, blockOwnerDeletion: true }] },
    };
    await createObject(harness.admin, workloadKind('Job').resource, 'default', owned);
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(births()).toBe(2);
    expect((await harness.get('Job', 'migrate')).metadata['ownerReferences']).toEqual([owner]);
    expect(harness.objects('Job')).toHaveLength(2);
  });
});

it('a Job that the next leader recreated is reported by that one alone, though the one before still waits for it', async () => {
  let isDeaf = false;
  const first = await harness.start({}, (text) => (isDeaf && text.includes('"kind":"Lease"') ? '{' : text));
  await harness.patch('Job', 'migrate', { metadata: { finalizers: ['example.com/slow'] } });
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(5_000);
  expect((await harness.get('Job', 'migrate')).metadata.deletionTimestamp).toBeDefined();
  const second = harness.launch({ identity: 'reroll-1' });
  // The first one no longer understands what it is told of the Lease.
  isDeaf = true;
  await harness.clock.advance(120_000);
  expect([first, second].map(({ reconciler }) => reconciler.status.state)).toEqual(['standby', 'acting']);
  harness.faults.add({
    match: ({ method, pathname }) => method === 'DELETE' && pathname.includes('/secrets/reroll-job-'),
    fault: { kind: 'delay', delayMs: 1_000 },
    times: 1,
  });
  await harness.patch('Job', 'migrate', { metadata: { finalizers: null } });
  await harness.clock.advance(60_000);
  expect([births(), entriesLeft()]).toEqual([2, 0]);
  const told = [first, second].map(({ lines }) => lines.filter(({ message }) => message.endsWith('recreated')).length);
  expect(told).toEqual([0, 1]);
});

it('a Job that a finalizer keeps is looked at less and less often, and recreated as soon as it is gone', async () => {
  await harness.start();
  await harness.patch('Job', 'migrate', { metadata: { finalizers: ['example.com/slow'] } });
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(120_000);
  harness.requestsSinceLast();
  await harness.clock.advance(60_000);
  const reads = harness.requestsSinceLast().filter((request) => /^get (secrets|jobs\.batch)$/.test(request));
  expect(reads.length).toBeLessThan(10);
  await harness.patch('Job', 'migrate', { metadata: { finalizers: null } });
  await harness.clock.advance(1_000);
  expect([births(), entriesLeft()]).toEqual([2, 0]);
});

describe('an edit of a Job that is about to be recreated', () => {
  const isDeletion = ({ method, pathname }: FaultTarget): boolean =>
    method === 'DELETE' && pathname.endsWith('/jobs/migrate');
  const edit = { metadata: { labels: { team: 'a' } }, spec: { suspend: true } };

  async function expectEditAndRestart(): Promise<void> {
    await harness.clock.advance(longAfterMs);
    const { metadata, spec } = (await harness.get('Job', 'migrate')) as KubeObject & { readonly spec?: unknown };
    expect([metadata.labels, spec]).toMatchObject([edit.metadata.labels, edit.spec]);
    expect(JSON.stringify(spec)).toContain('STAKATER_APP_CONFIGMAP');
    expect([births(), entriesLeft()]).toEqual([2, 0]);
  }

  it('is kept while the deletion is on its way', async () => {
    await harness.start();
    harness.faults.add({ match: isDeletion, times: 1, fault: { kind: 'delay', delayMs: 5_000 } });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(1_200);
    await harness.patch('Job', 'migrate', edit);
    await expectEditAndRestart();
  });

  it('is kept by the next leader, which finds the entry and the Job', async () => {
    const first = await harness.start();
    harness.faults.add({ match: isDeletion, times: 1, fault: { kind: 'half-open' } });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(1_200);
    first.kill();
    expect(entriesLeft()).toBe(1);
    await harness.patch('Job', 'migrate', edit);
    await harness.start({ identity: 'reroll-1' });
    await expectEditAndRestart();
  });

  it('that ends its restarts ends this one', async () => {
    await harness.start();
    harness.faults.add({ match: isDeletion, times: 1, fault: { kind: 'delay', delayMs: 5_000 } });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(1_200);
    await harness.patch('Job', 'migrate', { metadata: { annotations: { 'reloader.stakater.com/auto': 'false' } } });
    await harness.clock.advance(longAfterMs);
    expect([births(), entriesLeft()]).toEqual([1, 0]);
  });
});
