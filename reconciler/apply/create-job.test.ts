import { describe, expect, it } from '@jest/globals';
import { bodyOf } from '../../shared/kube/client/client.fixture';
import { refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import type { HttpRequest } from '../../shared/kube/transport';
import { formatBaseline } from '../../shared/domain/baseline/baseline';
import { changeOf } from '../../shared/domain/plan/change.fixture';
import { auto, workloadObject, type WorkloadOptions } from '../../shared/domain/plan/records.fixture';
import { createJobFromCronJob } from './create-job';
import { StaleWorkloadError } from './read-again';
import { NotLeadingError, type Restart } from './restart';
import { applyWorld, baselineOf, restartOf } from './restart.fixture';

const options: WorkloadOptions = { kind: 'CronJob', name: 'nightly' };
const main = { name: 'main', image: 'i', env: [], envFrom: [{ configMapRef: { name: 'app' } }] };

const cronJob = {
  ...workloadObject({ ...options, resourceVersion: '17' }),
  spec: {
    schedule: '0 3 * * *',
    jobTemplate: {
      metadata: { labels: { team: 'night' }, annotations: { note: 'x', 'cronjob.kubernetes.io/instantiate': 'own' } },
      spec: { backoffLimit: 2, template: { metadata: { labels: { app: 'n' } }, spec: { containers: [main] } } },
    },
  },
};

function server(
  create: () => Reply = () => ({ status: 201, body: job }),
  stored: object = cronJob,
): (request: HttpRequest) => Reply {
  return ({ method }) => {
    if (method === 'GET') return { body: stored };
    return method === 'POST'
      ? create()
      : { body: { ...cronJob, metadata: { ...cronJob.metadata, resourceVersion: '18' } } };
  };
}
const job = workloadObject({ kind: 'Job', name: 'nightly-1' });

async function jobNameOf(restart = restartOf(options), stored: object = cronJob): Promise<string> {
  const { context, transport } = applyWorld(server(undefined, stored));
  await createJobFromCronJob(context, restart);
  const created = bodyOf(transport.requests.find(({ method }) => method === 'POST')) as typeof job;
  return created.metadata.name;
}

describe('§6.1 a CronJob', () => {
  it('is run at once: a Job from its template as it is now, then its baseline', async () => {
    const { context, transport } = applyWorld(server());
    const restart = restartOf(options);
    const applied = await createJobFromCronJob(context, restart);
    const name = await jobNameOf();
    expect(applied).toEqual({
      kind: 'written',
      did: `run as Job ${name}`,
      stored: expect.objectContaining({ resourceVersion: '18' }),
    });
    expect(transport.requests.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`)).toEqual([
      'GET /apis/batch/v1/namespaces/shop/cronjobs/nightly',
      'POST /apis/batch/v1/namespaces/shop/jobs',
      'PATCH /apis/batch/v1/namespaces/shop/cronjobs/nightly',
    ]);
    const { value } = restart.marker.env[0]!;
    expect(bodyOf(transport.requests[1])).toEqual({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name,
        namespace: 'shop',
        labels: { team: 'night' },
        annotations: { note: 'x', 'cronjob.kubernetes.io/instantiate': 'own' },
        ownerReferences: [
          {
            apiVersion: 'batch/v1',
            kind: 'CronJob',
            name: 'nightly',
            uid: 'uid-nightly',
            controller: true,
          },
        ],
      },
      spec: {
        backoffLimit: 2,
        template: {
          metadata: { labels: { app: 'n' }, annotations: {} },
          spec: { containers: [{ ...main, env: [{ name: 'STAKATER_APP_CONFIGMAP', value }] }] },
        },
      },
    });
    expect(bodyOf(transport.requests[2])).toEqual({
      metadata: { uid: 'uid-nightly', resourceVersion: '17', annotations: restart.annotations },
    });
  });

  it('gets a Job whose name is the same for each attempt, and another for another change', async () => {
    const recorded = { ...options, baseline: formatBaseline(baselineOf(1)) };
    const name = async (restart: Partial<Restart> = {}, recordedAt = '2026-01-02T03:04:05Z'): Promise<string> => {
      const stored = workloadObject({ ...recorded, resourceVersion: '17' });
      const managedFields = [{ manager: 'reroll', operation: 'Update', time: recordedAt }];
      const metadata = { ...stored.metadata, managedFields };
      return await jobNameOf(restartOf(recorded, restart), { ...cronJob, metadata });
    };
    const first = await name();
    expect(first).toMatch(/^nightly-[0-9a-f]{10}$/);
    expect(await name({ id: 'another try' })).toBe(first);
    expect(
      await name({ baseline: { ...baselineOf(2), sources: new Map([...baselineOf(2).sources, ['cm/other', '-']]) } }),
    ).toBe(first);
    expect(await name({ baseline: baselineOf(3) })).not.toBe(first);
    expect(await name({ baseline: baselineOf(2, '-') })).not.toBe(first);
    // The source has returned to that content, and a new baseline was begun.
    expect(await name({}, '2026-01-03T03:04:05Z')).not.toBe(first);
  });

  it('whose baseline is not stored gets one whose name is the same in each process for the same version of the source', async () => {
    const first = await jobNameOf();
    expect(await jobNameOf(restartOf(options, { id: 'of another leader', baseline: baselineOf(7) }))).toBe(first);
    const later = { changes: [changeOf({ version: '2' })] };
    expect(await jobNameOf(restartOf(options, later))).not.toBe(first);
  });

  it('has a Job of at most 63 characters', async () => {
    const name = 'n'.repeat(52);
    const { context, transport } = applyWorld((request) =>
      request.method === 'GET' ? { body: workloadObject({ kind: 'CronJob', name }) } : server()(request),
    );
    await createJobFromCronJob(context, restartOf({ kind: 'CronJob', name }));
    expect((bodyOf(transport.requests[1]) as typeof job).metadata.name).toHaveLength(63);
  });

  it('whose Job already exists, from a try whose answer was lost, is only annotated', async () => {
    const { context, transport } = applyWorld(server(() => refusal(409, 'AlreadyExists')));
    expect(await createJobFromCronJob(context, restartOf(options))).toMatchObject({ kind: 'written' });
    expect(transport.requests.at(-1)?.method).toBe('PATCH');
  });

  it.each([
    ['the Job is refused', 403, 'Forbidden'],
    ['the server fails', 500, 'InternalError'],
  ])('keeps its baseline when %s', async (_what, code, reason) => {
    const { context, transport } = applyWorld(server(() => refusal(code, reason)));
    await expect(createJobFromCronJob(context, restartOf(options))).rejects.toMatchObject({ status: code });
    expect(transport.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  it('is not run if its policy leaves it to the next run', async () => {
    const { context, transport } = applyWorld(server());
    const annotations = { ...auto, 'reroll.dev/cronjob-policy': 'next-run' };
    const applied = await createJobFromCronJob(context, restartOf({ ...options, annotations }));
    expect(applied).toMatchObject({
      did: 'not run now: the change takes effect at its next run',
      stored: { resourceVersion: '18' },
    });
    expect(transport.requests.map(({ method }) => method)).toEqual(['PATCH']);
  });

  it('is not run if it was replaced meanwhile', async () => {
    const { context, transport } = applyWorld(server());
    const planned = restartOf({ ...options, uid: 'first' });
    await expect(createJobFromCronJob(context, planned)).rejects.toThrow(StaleWorkloadError);
    expect(transport.requests).toHaveLength(1);
  });

  it('is not run without the lease', async () => {
    const world = applyWorld(server());
    world.leading = false;
    await expect(createJobFromCronJob(world.context, restartOf(options))).rejects.toThrow(NotLeadingError);
    expect(world.transport.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});
