import { describe, expect, it } from '@jest/globals';
import { configMap, deployment, job, secret } from '../cluster';
import { stringAt, withValueAt } from '../json';
import { merge } from './contract-client';
import type { ContractContext } from './contract';

/** Codes, reasons and messages of rejected requests. */
export function statusContract(context: () => ContractContext): void {
  describe('statuses', () => {
    it('404: an object that is not there', async () => {
      const { client, path } = context();
      const { status, body } = await client.get(path('apps/v1', 'deployments', 'web'));
      expect(status).toBe(404);
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'deployments.apps "web" not found',
        reason: 'NotFound',
        details: { name: 'web', group: 'apps', kind: 'deployments' },
        code: 404,
      });
    });

    it('404: a namespace that is not there', async () => {
      const { client } = context();
      const body = configMap({ name: 'a', namespace: 'no-such-namespace' });
      const answer = await client.post('/api/v1/namespaces/no-such-namespace/configmaps', body);
      expect(answer.body).toMatchObject({ code: 404, message: 'namespaces "no-such-namespace" not found' });
    });

    it('404: a kind that is not served', async () => {
      const { client } = context();
      expect((await client.get('/apis/no.such.group/v1/things')).status).toBe(404);
    });

    it('409: a name that is taken', async () => {
      const { client, namespace, path } = context();
      await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace }));
      const { body } = await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace }));
      expect(body).toMatchObject({
        code: 409,
        reason: 'AlreadyExists',
        message: 'configmaps "a" already exists',
        details: { name: 'a', kind: 'configmaps' },
      });
    });

    it('400: another namespace in the body than in the path', async () => {
      const { client, path } = context();
      const { body } = await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace: 'other' }));
      expect(body).toMatchObject({
        code: 400,
        reason: 'BadRequest',
        message: 'the namespace of the provided object does not match the namespace sent on the request',
      });
    });

    it('400: another name in the body than in the path', async () => {
      const { client, namespace, path } = context();
      await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace }));
      const { body } = await client.put(path('v1', 'configmaps', 'a'), configMap({ name: 'b', namespace }));
      expect(body).toMatchObject({ code: 400, reason: 'BadRequest' });
      expect(stringAt(body, 'message')).toBe('the name of the object (b) does not match the name on the URL (a)');
    });

    it('405: a method that the collection does not know', async () => {
      const { client, path } = context();
      expect((await client.put(path('v1', 'configmaps'), {})).status).toBe(405);
    });

    it('422: more annotations than an object may have', async () => {
      const { client, namespace, path } = context();
      const annotations = { long: 'x'.repeat(256 * 1024) };
      const { body } = await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace, annotations }));
      expect(body).toMatchObject({
        code: 422,
        message: 'ConfigMap "a" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
      });
    });

    it('422: an environment variable without name', async () => {
      const { client, namespace, path } = context();
      const { body } = await client.post(
        path('apps/v1', 'deployments'),
        deployment({ name: 'web', namespace, env: [{ value: '1' }] }),
      );
      expect(body).toMatchObject({
        code: 422,
        reason: 'Invalid',
        message: 'Deployment.apps "web" is invalid: spec.template.spec.containers[0].env[0].name: Required value',
        details: {
          name: 'web',
          group: 'apps',
          kind: 'Deployment',
          causes: [
            {
              reason: 'FieldValueRequired',
              message: 'Required value',
              field: 'spec.template.spec.containers[0].env[0].name',
            },
          ],
        },
      });
    });

    it('422: several faults at once', async () => {
      const { client, namespace, path } = context();
      const env = [{ value: '1' }, { value: '2' }];
      const { body } = await client.post(path('apps/v1', 'deployments'), deployment({ name: 'web', namespace, env }));
      expect(stringAt(body, 'message')).toMatch(/^Deployment\.apps "web" is invalid: \[.*env\[0\].*, .*env\[1\].*\]$/);
    });

    it.each([
      [
        'a bad name',
        () => configMap({ name: 'Upper' }),
        'metadata.name: Invalid value: "Upper": a lowercase RFC 1123 subdomain',
      ],
      [
        'a bad key',
        () => configMap({ name: 'a', data: { 'x/y': '1' } }),
        'data[x/y]: Invalid value: "x/y": a valid config key must consist of',
      ],
      ['no name', () => ({ metadata: {} }), 'metadata.name: Required value: name or generateName is required'],
    ])('422: %s', async (_name, object, text) => {
      const { client, namespace, path } = context();
      const body = withValueAt(object(), ['metadata', 'namespace'], namespace);
      const answer = await client.post(path('v1', 'configmaps'), body);
      expect(answer.status).toBe(422);
      expect(stringAt(answer.body, 'message')).toContain(text);
    });

    it('422: the template of a Job cannot change', async () => {
      const { client, namespace, path } = context();
      await client.post(path('batch/v1', 'jobs'), job({ name: 'j', namespace, spec: { suspend: false } }));
      const patch = { spec: { template: { spec: { containers: [{ name: 'app', image: 'other:1' }] } } } };
      const { body } = await client.patch(path('batch/v1', 'jobs', 'j'), merge, patch);
      expect(body).toMatchObject({ code: 422, reason: 'Invalid' });
      expect(stringAt(body, 'message')).toMatch(
        /^Job\.batch "j" is invalid: spec\.template: Invalid value: .*: field is immutable$/s,
      );
    });

    it('422: the selector of a Deployment cannot change', async () => {
      const { client, namespace, path } = context();
      await client.post(path('apps/v1', 'deployments'), deployment({ name: 'web', namespace, replicas: 0 }));
      const labels = { app: 'web', more: 'x' };
      const patch = { spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } } };
      const { body } = await client.patch(path('apps/v1', 'deployments', 'web'), merge, patch);
      expect(stringAt(body, 'message')).toMatch(/spec\.selector: Invalid value: .*: field is immutable$/);
    });

    it('422: an immutable ConfigMap stays as it is', async () => {
      const { client, namespace, path } = context();
      await client.post(
        path('v1', 'configmaps'),
        configMap({ name: 'a', namespace, immutable: true, data: { x: '1' } }),
      );
      const { body } = await client.patch(path('v1', 'configmaps', 'a'), merge, { data: { x: '2' } });
      expect(stringAt(body, 'message')).toBe(
        'ConfigMap "a" is invalid: data: Forbidden: field is immutable when `immutable` is set',
      );
    });

    it('422: the type of a Secret cannot change', async () => {
      const { client, namespace, path } = context();
      await client.post(path('v1', 'secrets'), secret({ name: 's', namespace }));
      const { body } = await client.patch(path('v1', 'secrets', 's'), merge, { type: 'other' });
      expect(stringAt(body, 'message')).toBe('Secret "s" is invalid: type: Invalid value: "other": field is immutable');
    });

    it('403: nothing new in a namespace that is being deleted', async () => {
      const { client, namespace, path } = context();
      const held = withValueAt(
        configMap({ name: 'held', namespace }),
        ['metadata', 'finalizers'],
        ['contract.test/hold'],
      );
      await client.post(path('v1', 'configmaps'), held);
      await client.delete(`/api/v1/namespaces/${namespace}`);
      const { body } = await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace }));
      expect(body).toMatchObject({
        code: 403,
        reason: 'Forbidden',
        message:
          `configmaps "a" is forbidden: unable to create new content in namespace ${namespace} because it is being ` +
          'terminated',
      });
      await client.patch(path('v1', 'configmaps', 'held'), merge, { metadata: { finalizers: null } });
    });

    it('refuses an object that already has a resourceVersion', async () => {
      const { client, namespace, path } = context();
      const body = withValueAt(configMap({ name: 'a', namespace }), ['metadata', 'resourceVersion'], '1');
      const answer = await client.post(path('v1', 'configmaps'), body);
      expect(answer.status).toBe(500);
      expect(stringAt(answer.body, 'message')).toBe('resourceVersion should not be set on objects to be created');
    });
  });
}
