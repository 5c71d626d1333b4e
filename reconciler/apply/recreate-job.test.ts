import { describe, expect, it } from '@jest/globals';
import { clientWorld, bodyOf } from '../../shared/kube/client.fixture';
import type { KubeObject } from '../../shared/kube/objects';
import { JobJournal } from '../job-journal';
import { auto, workloadObject, type WorkloadOptions } from '../records.fixture';
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
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Workflow', name: 'w', uid: 'u' }];
    expect(successorOf(jobWith({ ownerReferences }), restart).metadata['ownerReferences']).toEqual(ownerReferences);
  });

  it('makes do with a Job that has no labels', () => {
    expect(successorOf(jobWith({ labels: undefined }), restart).metadata['labels']).toEqual({});
  });
});

describe('recreateJob', () => {
  function worldWith(job: KubeObject) {
    const world = applyWorld(({ method }) => ({
      body: method === 'GET' ? job : { ...job, metadata: { ...job.metadata, resourceVersion: '18' } },
    }));
    const journal = clientWorld(() => ({ status: 201, body: job }));
    const recreate = recreateJob(
      new JobJournal({
        client: journal.client,
        namespace: 'reroll',
        assertLeading: () => undefined,
        onEntry: () => undefined,
      }),
    );
    return { world, written: journal.transport.requests, recreate };
  }

  it('writes the journal and nothing else', async () => {
    const { world, written, recreate } = worldWith(jobWith());
    expect(await recreate(world.context, restartOf(options))).toEqual({ kind: 'under-way' });
    expect(world.transport.requests.map(({ method }) => method)).toEqual(['GET']);
    expect(written.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/v1/namespaces/reroll/secrets?fieldManager=reroll',
    ]);
  });

  it('only writes the annotations where it is left for its next run', async () => {
    const { world, written, recreate } = worldWith(jobWith());
    const annotations = { ...auto, 'reroll.dev/job-policy': 'next-run' };
    const restart = restartOf({ ...options, annotations });
    expect(await recreate(world.context, restart)).toMatchObject({
      did: 'not run now: the change takes effect at its next run',
      resourceVersion: '18',
    });
    expect(bodyOf(world.transport.requests[0])).toMatchObject({ metadata: { annotations: restart.annotations } });
    expect([world.transport.requests.length, written.length]).toEqual([1, 0]);
  });

  it('leaves a Job alone that is another by now', async () => {
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
