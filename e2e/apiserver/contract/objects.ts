import { describe, expect, it } from '@jest/globals';
import { configMap, cronJob, deployment, job, secret } from '../cluster';
import { arrayAt, objectAt, stringAt, valueAt, withValueAt, type JsonObject } from '../json';
import type { ContractContext } from './contract';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const wholeSeconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Create, read, update, delete. */
export function objectContract(context: () => ContractContext): void {
  describe('objects', () => {
    it('creates an object with server-made metadata', async () => {
      const { client, namespace, path } = context();
      const created = await client.post(
        path('v1', 'configmaps'),
        configMap({ name: 'a', namespace, data: { x: '1' } }),
      );
      expect(created.status).toBe(201);
      expect(created.body).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { x: '1' } });
      const metadata = objectAt(created.body, 'metadata');
      expect(metadata).toMatchObject({ name: 'a', namespace, uid: expect.stringMatching(uuid) });
      expect(metadata['creationTimestamp']).toMatch(wholeSeconds);
      expect(metadata['resourceVersion']).toMatch(/^[1-9]\d*$/);
      expect(metadata['generation']).toBeUndefined();
      expect((await client.get(path('v1', 'configmaps', 'a'))).body).toEqual(created.body);
    });

    it('dates each answer, also a refusal, by the clock that dates objects', async () => {
      const { client, namespace, path } = context();
      const created = await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace, data: {} }));
      const refused = await client.get(path('v1', 'configmaps', 'none'));
      expect(refused.status).toBe(404);
      const atMs = Date.parse(stringAt(created.body, 'metadata', 'creationTimestamp') ?? '');
      for (const { date } of [created, refused]) {
        expect(new Date(Date.parse(date)).toUTCString()).toBe(date);
        expect(Date.parse(date) - atMs).toBeGreaterThanOrEqual(0);
        expect(Date.parse(date) - atMs).toBeLessThan(10_000);
      }
    });

    it('makes a name out of generateName', async () => {
      const { client, namespace, path } = context();
      const created = await client.post(path('v1', 'configmaps'), { metadata: { generateName: 'a-', namespace } });
      expect(stringAt(created.body, 'metadata', 'name')).toMatch(/^a-[a-z0-9]{5}$/);
      expect(stringAt(created.body, 'metadata', 'generateName')).toBe('a-');
    });

    it('updates with and without a resourceVersion', async () => {
      const { client, namespace, path } = context();
      const { body: first } = await client.post(
        path('v1', 'configmaps'),
        configMap({ name: 'a', namespace, data: { x: '1' } }),
      );
      const second = await client.put(path('v1', 'configmaps', 'a'), { ...first, data: { x: '2' } });
      expect(second.status).toBe(200);
      expect(stringAt(second.body, 'metadata', 'uid')).toBe(stringAt(first, 'metadata', 'uid'));
      expect(stringAt(second.body, 'metadata', 'resourceVersion')).not.toBe(
        stringAt(first, 'metadata', 'resourceVersion'),
      );
      const third = await client.put(
        path('v1', 'configmaps', 'a'),
        configMap({ name: 'a', namespace, data: { x: '3' } }),
      );
      expect(third.status).toBe(200);
      expect(objectAt(third.body, 'data')).toEqual({ x: '3' });
    });

    it('refuses an update of an older version', async () => {
      const { client, namespace, path } = context();
      const { body: first } = await client.post(
        path('v1', 'configmaps'),
        configMap({ name: 'a', namespace, data: { x: '1' } }),
      );
      await client.put(path('v1', 'configmaps', 'a'), { ...first, data: { x: '2' } });
      const late = await client.put(path('v1', 'configmaps', 'a'), { ...first, data: { x: '3' } });
      expect(late.status).toBe(409);
      expect(late.body).toMatchObject({
        kind: 'Status',
        status: 'Failure',
        reason: 'Conflict',
        code: 409,
        message:
          'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the ' +
          'latest version and try again',
        details: { name: 'a', kind: 'configmaps' },
      });
    });

    it('refuses an update of another incarnation', async () => {
      const { client, namespace, path } = context();
      await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace }));
      const other = '00000000-0000-4000-a000-000000000000';
      const body = withValueAt(configMap({ name: 'a', namespace }), ['metadata', 'uid'], other);
      const answer = await client.put(path('v1', 'configmaps', 'a'), body);
      expect(answer.status).toBe(409);
      expect(stringAt(answer.body, 'message')).toContain(`Precondition failed: UID in precondition: ${other}`);
    });

    it('writes nothing for an update that changes nothing', async () => {
      const { client, namespace, path } = context();
      const { body: first } = await client.post(
        path('v1', 'configmaps'),
        configMap({ name: 'a', namespace, data: { x: '1' } }),
      );
      const second = await client.put(path('v1', 'configmaps', 'a'), first);
      expect(stringAt(second.body, 'metadata', 'resourceVersion')).toBe(stringAt(first, 'metadata', 'resourceVersion'));
    });

    it('answers a delete with a Status, and the object is gone', async () => {
      const { client, namespace, path } = context();
      const { body } = await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace }));
      const deleted = await client.delete(path('v1', 'configmaps', 'a'));
      expect(deleted.status).toBe(200);
      expect(deleted.body).toMatchObject({
        kind: 'Status',
        status: 'Success',
        details: { name: 'a', kind: 'configmaps', uid: stringAt(body, 'metadata', 'uid') },
      });
      expect((await client.get(path('v1', 'configmaps', 'a'))).status).toBe(404);
    });

    it('deletes only the version and incarnation that are asked for', async () => {
      const { client, namespace, path } = context();
      const { body } = await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace }));
      const { uid, resourceVersion } = objectAt(body, 'metadata');
      const refused = await client.delete(path('v1', 'configmaps', 'a'), { preconditions: { uid: 'another' } });
      expect(refused.status).toBe(409);
      expect(stringAt(refused.body, 'message')).toBe(
        'Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (another) does not match the UID in ' +
          `record (${uid as string}). The object might have been deleted and then recreated`,
      );
      const older = await client.delete(path('v1', 'configmaps', 'a'), { preconditions: { resourceVersion: '1' } });
      expect(older.status).toBe(409);
      expect(stringAt(older.body, 'message')).toBe(
        'Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not match the ' +
          `ResourceVersion in record (${resourceVersion as string}). The object might have been modified`,
      );
      const exact = await client.delete(path('v1', 'configmaps', 'a'), { preconditions: { uid, resourceVersion } });
      expect(exact.status).toBe(200);
    });

    it('gives a re-created object another uid', async () => {
      const { client, namespace, path } = context();
      const { body: first } = await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace }));
      await client.delete(path('v1', 'configmaps', 'a'));
      const { body: second } = await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace }));
      expect(stringAt(second, 'metadata', 'uid')).not.toBe(stringAt(first, 'metadata', 'uid'));
    });

    it('holds a deleted object until its finalizers are gone', async () => {
      const { client, namespace, path } = context();
      const held = withValueAt(configMap({ name: 'a', namespace }), ['metadata', 'finalizers'], ['contract.test/hold']);
      await client.post(path('v1', 'configmaps'), held);
      expect((await client.delete(path('v1', 'configmaps', 'a'))).status).toBe(200);
      const going = await client.get(path('v1', 'configmaps', 'a'));
      expect(stringAt(going.body, 'metadata', 'deletionTimestamp')).toMatch(wholeSeconds);
      const patched = await client.patch(path('v1', 'configmaps', 'a'), 'application/merge-patch+json', {
        metadata: { finalizers: null },
      });
      expect(patched.status).toBe(200);
      expect((await client.get(path('v1', 'configmaps', 'a'))).status).toBe(404);
    });

    it('counts a deletion as one change of the desired state, however often it is asked for', async () => {
      const { client, namespace, path } = context();
      const held = withValueAt(cronJob({ name: 'c', namespace }), ['metadata', 'finalizers'], ['contract.test/hold']);
      await client.post(path('batch/v1', 'cronjobs'), held);
      const url = path('batch/v1', 'cronjobs', 'c');
      const generationAfterDelete = async (): Promise<unknown> => {
        await client.delete(url);
        return valueAt((await client.get(url)).body, 'metadata', 'generation');
      };
      expect([await generationAfterDelete(), await generationAfterDelete()]).toEqual([2, 2]);
      await client.patch(url, 'application/merge-patch+json', { metadata: { finalizers: null } });
    });

    it('marks what is deleted in the foreground', async () => {
      const { client, namespace, path } = context();
      const created = withValueAt(
        cronJob({ name: 'c', namespace }),
        ['metadata', 'finalizers'],
        ['contract.test/hold'],
      );
      await client.post(path('batch/v1', 'cronjobs'), created);
      const deleted = await client.delete(path('batch/v1', 'cronjobs', 'c'), { propagationPolicy: 'Foreground' });
      expect(deleted.status).toBe(200);
      expect(arrayAt(deleted.body, 'metadata', 'finalizers')).toContain('foregroundDeletion');
      await client.patch(path('batch/v1', 'cronjobs', 'c'), 'application/merge-patch+json', {
        metadata: { finalizers: null },
      });
    });

    it('deletes a collection by selector', async () => {
      const { client, namespace, path } = context();
      await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace, labels: { go: 'yes' } }));
      await client.post(path('v1', 'configmaps'), configMap({ name: 'b', namespace }));
      expect((await client.delete(`${path('v1', 'configmaps')}?labelSelector=go%3Dyes`)).status).toBe(200);
      expect((await client.get(path('v1', 'configmaps', 'a'))).status).toBe(404);
      expect((await client.get(path('v1', 'configmaps', 'b'))).status).toBe(200);
    });

    it('stores nothing on dryRun and answers as if it had', async () => {
      const { client, namespace, path } = context();
      const object = configMap({ name: 'a', namespace, data: { x: '1' } });
      const dry = await client.post(`${path('v1', 'configmaps')}?dryRun=All`, object);
      expect(dry.status).toBe(201);
      expect(stringAt(dry.body, 'metadata', 'uid')).toMatch(uuid);
      expect((await client.get(path('v1', 'configmaps', 'a'))).status).toBe(404);
      const { body } = await client.post(path('v1', 'configmaps'), object);
      const changed = await client.put(`${path('v1', 'configmaps', 'a')}?dryRun=All`, { ...body, data: { x: '2' } });
      expect(objectAt(changed.body, 'data')).toEqual({ x: '2' });
      await client.delete(`${path('v1', 'configmaps', 'a')}?dryRun=All`);
      expect((await client.get(path('v1', 'configmaps', 'a'))).body).toEqual(body);
    });

    it('encodes stringData of a Secret into data', async () => {
      const { client, namespace, path } = context();
      const body = { ...secret({ name: 's', namespace, data: { a: 'old' } }), stringData: { a: 'new', b: 'two' } };
      const created = await client.post(path('v1', 'secrets'), body);
      expect(created.body).toMatchObject({ type: 'Opaque', data: { a: 'bmV3', b: 'dHdv' } });
      expect(created.body['stringData']).toBeUndefined();
    });

    it('counts generations of a Deployment by spec and annotations, not by labels', async () => {
      const { client, namespace, path } = context();
      const url = path('apps/v1', 'deployments', 'web');
      const created = await client.post(
        path('apps/v1', 'deployments'),
        deployment({ name: 'web', namespace, replicas: 0 }),
      );
      expect(valueAt(created.body, 'metadata', 'generation')).toBe(1);
      const generationAfter = async (patch: object): Promise<unknown> =>
        valueAt((await client.patch(url, 'application/merge-patch+json', patch)).body, 'metadata', 'generation');
      expect(await generationAfter({ metadata: { labels: { a: 'b' } } })).toBe(1);
      expect(await generationAfter({ metadata: { annotations: { a: 'b' } } })).toBe(2);
      expect(await generationAfter({ spec: { minReadySeconds: 1 } })).toBe(3);
    });

    it('counts generations of a StatefulSet by its spec alone', async () => {
      const { client, namespace, path } = context();
      const url = path('apps/v1', 'statefulsets', 'db');
      const body = { ...deployment({ name: 'db', namespace, replicas: 0 }), kind: 'StatefulSet' };
      await client.post(path('apps/v1', 'statefulsets'), body);
      const annotated = await client.patch(url, 'application/merge-patch+json', {
        metadata: { annotations: { a: 'b' } },
      });
      expect(valueAt(annotated.body, 'metadata', 'generation')).toBe(1);
      const changed = await client.patch(url, 'application/merge-patch+json', { spec: { revisionHistoryLimit: 3 } });
      expect(valueAt(changed.body, 'metadata', 'generation')).toBe(2);
    });

    it('keeps status and spec apart', async () => {
      const { client, namespace, path } = context();
      const body = {
        ...cronJob({ name: 'c', namespace, spec: { suspend: true } }),
        status: { lastScheduleTime: '2026-01-01T00:00:00Z' },
      };
      const created = await client.post(path('batch/v1', 'cronjobs'), body);
      expect(objectAt(created.body, 'status')).toEqual({});
      const url = path('batch/v1', 'cronjobs', 'c');
      const status = { status: { lastScheduleTime: '2026-01-01T00:00:00Z' }, spec: { schedule: '1 1 1 1 1' } };
      const patched = await client.patch(`${url}/status`, 'application/merge-patch+json', status);
      expect(stringAt(patched.body, 'status', 'lastScheduleTime')).toBe('2026-01-01T00:00:00Z');
      expect(stringAt(patched.body, 'spec', 'schedule')).toBe('0 3 * * *');
      expect(valueAt(patched.body, 'metadata', 'generation')).toBe(1);
    });

    it('lets a status write change metadata, but for the labels of a Deployment', async () => {
      const { client, namespace, path } = context();
      const metadata = { labels: { mine: 'yes' }, annotations: { seen: 'yes' } };
      const statusOf = async (url: string): Promise<JsonObject> =>
        objectAt((await client.patch(`${url}/status`, 'application/merge-patch+json', { metadata })).body, 'metadata');
      const labels = { first: 'yes' };
      await client.post(
        path('apps/v1', 'deployments'),
        deployment({ name: 'web', namespace, labels, replicas: 0, spec: { paused: true } }),
      );
      const web = await statusOf(path('apps/v1', 'deployments', 'web'));
      expect(web).toMatchObject({ annotations: { seen: 'yes' }, generation: 1 });
      expect(web['labels']).toEqual(labels);
      await client.post(
        path('batch/v1', 'cronjobs'),
        cronJob({ name: 'c', namespace, labels, spec: { suspend: true } }),
      );
      const cron = await statusOf(path('batch/v1', 'cronjobs', 'c'));
      expect(cron['labels']).toEqual({ ...labels, mine: 'yes' });
    });

    it('reads and writes the scale of a Deployment', async () => {
      const { client, namespace, path } = context();
      await client.post(path('apps/v1', 'deployments'), deployment({ name: 'web', namespace, replicas: 0 }));
      const url = `${path('apps/v1', 'deployments', 'web')}/scale`;
      const scale = await client.get(url);
      expect(scale.body).toMatchObject({
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        spec: {},
        status: { selector: 'app=web' },
      });
      const scaled = await client.patch(url, 'application/merge-patch+json', { spec: { replicas: 2 } });
      expect(objectAt(scaled.body, 'spec')).toEqual({ replicas: 2 });
      expect(valueAt((await client.get(path('apps/v1', 'deployments', 'web'))).body, 'spec', 'replicas')).toBe(2);
    });

    it('fills in the defaults of a pod template', async () => {
      const { client, namespace, path } = context();
      const { body } = await client.post(
        path('apps/v1', 'deployments'),
        deployment({ name: 'web', namespace, replicas: 0 }),
      );
      expect(objectAt(body, 'spec')).toMatchObject({
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            restartPolicy: 'Always',
            terminationGracePeriodSeconds: 30,
            dnsPolicy: 'ClusterFirst',
            securityContext: {},
            schedulerName: 'default-scheduler',
            containers: [
              {
                name: 'app',
                image: 'registry.example/app:1',
                resources: {},
                terminationMessagePath: '/dev/termination-log',
                terminationMessagePolicy: 'File',
                imagePullPolicy: 'IfNotPresent',
              },
            ],
          },
        },
      });
    });

    it('gives a Job a selector of its own', async () => {
      const { client, namespace, path } = context();
      const { body } = await client.post(
        path('batch/v1', 'jobs'),
        job({ name: 'j', namespace, spec: { suspend: true } }),
      );
      const uid = stringAt(body, 'metadata', 'uid');
      expect(objectAt(body, 'spec', 'selector')).toEqual({
        matchLabels: { 'batch.kubernetes.io/controller-uid': uid },
      });
      expect(objectAt(body, 'spec', 'template', 'metadata', 'labels')).toMatchObject({
        'batch.kubernetes.io/controller-uid': uid,
        'batch.kubernetes.io/job-name': 'j',
        'job-name': 'j',
      });
    });

    it('creates an Event', async () => {
      const { client, namespace, path } = context();
      const event = {
        metadata: { name: 'web.1234', namespace },
        involvedObject: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace },
        reason: 'Reloaded',
        message: 'ConfigMap a changed',
        type: 'Normal',
        source: { component: 'reroll' },
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        count: 1,
      };
      expect((await client.post(path('v1', 'events'), event)).status).toBe(201);
      const found = await client.get(
        `${path('v1', 'events')}?fieldSelector=involvedObject.name%3Dweb%2Creason%3DReloaded`,
      );
      expect(arrayAt(found.body, 'items').map((item) => stringAt(item, 'metadata', 'name'))).toEqual(['web.1234']);
    });

    it('lets one of two holders win a Lease', async () => {
      const { client, namespace, path } = context();
      const lease = {
        metadata: { name: 'l', namespace },
        spec: { holderIdentity: 'one', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.123456Z' },
      };
      const { body } = await client.post(path('coordination.k8s.io/v1', 'leases'), lease);
      expect(stringAt(body, 'spec', 'renewTime')).toBe('2026-01-01T00:00:00.123456Z');
      const url = path('coordination.k8s.io/v1', 'leases', 'l');
      const first = await client.put(url, withValueAt(body, ['spec', 'holderIdentity'], 'two'));
      expect(first.status).toBe(200);
      const second = await client.put(url, withValueAt(body, ['spec', 'holderIdentity'], 'three'));
      expect(second.body).toMatchObject({ code: 409, reason: 'Conflict' });
      expect(stringAt(second.body, 'message')).toContain('leases.coordination.k8s.io "l"');
      const unguarded = await client.put(url, { ...lease, apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' });
      expect(unguarded.status).toBe(422);
      expect(stringAt(unguarded.body, 'message')).toContain('metadata.resourceVersion: Invalid value:');
    });
  });
}
