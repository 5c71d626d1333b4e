import { describe, expect, it } from '@jest/globals';
import { clientWorld, bodyOf } from '../../shared/kube/client/client.fixture';
import { refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import type { KubeObject } from '../../shared/kube/client/objects';
import { JobJournal } from './job-journal';
import { testStore } from './job-journal.fixture';
import { auto, workloadObject, type WorkloadOptions } from '../../shared/domain/plan/records.fixture';
import { StaleWorkloadError } from './read-again';
import { recreateJob, successorOf } from './recreate-job';
import { NotLeadingError } from './restart';
import { applyWorld, restartOf } from './restart.fixture';

const options: WorkloadOptions = { kind: 'Job', name: 'migrate' };
const generated = {
  'controller-uid': 'uid-migrate',
  'batch.kubernetes.io/controller-uid': 'uid-migrate',
  'job-name': 'migrate',
  'batch.kubernetes.io/job-name': 'migrate',
};
const uses = { envFrom: [{ configMapRef: { name: 'app' } }] };
const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': 'uid-migrate' } };

function jobWith(metadata: object = {}, spec: object = {}): KubeObject {
  const base = workloadObject(options);
  return {
    ...base,
    metadata: { ...base.metadata, generation: 1, labels: { team: 'db', ...generated }, ...metadata },
    spec: {
      backoffLimit: 2,
      selector,
      template: { metadata: { labels: { app: 'm', ...generated } }, spec: { containers: [{ name: 'main', ...uses }] } },
      ...spec,
    },
    status: { active: 1 },
  };
}

describe('§6.2 successorOf', () => {
  const restart = restartOf(options);

  it('is the Job with marker and baseline, without what server and controller gave it', () => {
    const { value } = restart.marker.env[0]!;
    expect(successorOf(jobWith(), restart)).toEqual({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: 'migrate',
        namespace: 'shop',
        labels: { team: 'db' },
        annotations: { ...auto, ...restart.annotations },
      },
      spec: {
        backoffLimit: 2,
        template: {
          metadata: { labels: { app: 'm' }, annotations: {} },
          spec: { containers: [{ name: 'main', ...uses, env: [{ name: 'STAKATER_APP_CONFIGMAP', value }] }] },
        },
      },
    });
  });

  it('has a baseline that is bound to no object, because its uid is not known yet', () => {
    const baseline = { ...restart.baseline, uid: 'uid-migrate' };
    const text = successorOf(jobWith(), { ...restart, baseline }).metadata.annotations['reroll.dev/baseline'];
    expect(text).toBe(restart.annotations['reroll.dev/baseline']);
  });

  it("keeps a selector of the user's own, with the labels that it selects", () => {
    const { metadata, ...rest } = successorOf(jobWith({}, { manualSelector: true }), restart);
    expect(metadata['labels']).toEqual({ team: 'db', ...generated });
    expect(rest['spec']).toMatchObject({
      manualSelector: true,
      selector,
      template: { metadata: { labels: { app: 'm', ...generated } } },
    });
  });

  it.each([
    ['of a deletion', ['foregroundDeletion', 'orphan'], undefined],
    ['of its user', ['example.com/keep', 'foregroundDeletion'], ['example.com/keep']],
    ['none', undefined, undefined],
  ])('finalizers: %s', (_what, finalizers, kept) => {
    expect(successorOf(jobWith({ finalizers }), restart).metadata['finalizers']).toEqual(kept);
  });

  it('keeps its owners', () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Workflow', name: 'w', uid: 'u', controller: true }];
    expect(successorOf(jobWith({ ownerReferences }), restart).metadata['ownerReferences']).toEqual(ownerReferences);
  });

  it('blocks the deletion of no owner, because that requires an extra permission', () => {
    const owner = { apiVersion: 'v1', kind: 'Workflow', name: 'w', uid: 'u' };
    const ownerReferences = [{ ...owner, blockOwnerDeletion: true }];
    expect(successorOf(jobWith({ ownerReferences }), restart).metadata['ownerReferences']).toEqual([owner]);
  });

  it('accepts a Job that has no labels', () => {
    expect(successorOf(jobWith({ labels: undefined }), restart).metadata['labels']).toEqual({});
  });
});

describe('recreateJob', () => {
  function worldWith(job: KubeObject, creation?: Reply) {
    const world = applyWorld(({ method }) => {
      if (method === 'POST' && creation) return creation;
      return { body: method === 'GET' ? job : { ...job, metadata: { ...job.metadata, resourceVersion: '18' } } };
    });
    const journal = clientWorld(() => ({ status: 201, body: job }));
    const recreate = recreateJob(
      new JobJournal({
        client: journal.client,
        store: testStore(journal.client),
        assertLeading: () => undefined,
        onEntry: () => undefined,
        onRecreating: () => undefined,
      }),
    );
    return { world, written: journal.transport.requests, recreate };
  }

  it.each<[string, Reply | undefined]>([
    ['would be created', undefined],
    ['would be created, except that its name is taken', refusal(409, 'AlreadyExists')],
  ])('writes the journal and nothing else where the successor %s', async (_what, creation) => {
    const { world, written, recreate } = worldWith(jobWith(), creation);
    const restart = restartOf(options);
    expect(await recreate(world.context, restart)).toEqual({ kind: 'under-way' });
    expect(world.transport.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /apis/batch/v1/namespaces/shop/jobs/migrate',
      'POST /apis/batch/v1/namespaces/shop/jobs?fieldManager=reroll&dryRun=All',
    ]);
    expect(bodyOf(world.transport.requests[1])).toEqual(successorOf(jobWith(), restart));
    expect(written.map(({ method, path }) => `${method} ${path.replace(/-[0-9a-f]{16}/, '')}`)).toEqual([
      'POST /api/v1/namespaces/reroll/secrets?fieldManager=reroll',
      'PUT /api/v1/namespaces/reroll/secrets/reroll-job?fieldManager=reroll',
    ]);
  });

  it.each([
    [403, 'Forbidden'],
    [422, 'Invalid'],
    [409, 'Conflict'],
    [500, 'InternalError'],
  ])('begins nothing where the successor would be answered by %i', async (status, reason) => {
    const { world, written, recreate } = worldWith(jobWith(), refusal(status, reason));
    await expect(recreate(world.context, restartOf(options))).rejects.toMatchObject({ status });
    expect(written).toEqual([]);
  });

  it('only writes the annotations if its policy leaves it to the next run', async () => {
    const { world, written, recreate } = worldWith(jobWith());
    const annotations = { ...auto, 'reroll.dev/job-policy': 'next-run' };
    const restart = restartOf({ ...options, annotations });
    expect(await recreate(world.context, restart)).toMatchObject({
      did: 'not run now: the change takes effect at its next run',
      stored: { resourceVersion: '18' },
    });
    expect(bodyOf(world.transport.requests[0])).toMatchObject({ metadata: { annotations: restart.annotations } });
    expect([world.transport.requests.length, written.length]).toEqual([1, 0]);
  });

  it('leaves a Job alone that was replaced meanwhile', async () => {
    const { world, written, recreate } = worldWith(jobWith({ uid: 'second' }));
    await expect(recreate(world.context, restartOf(options))).rejects.toThrow(StaleWorkloadError);
    expect(written).toEqual([]);
  });

  it('writes nothing without the lease', async () => {
    const { world, written, recreate } = worldWith(jobWith());
    world.leading = false;
    await expect(recreate(world.context, restartOf(options))).rejects.toThrow(NotLeadingError);
    expect(written).toEqual([]);
  });
});
