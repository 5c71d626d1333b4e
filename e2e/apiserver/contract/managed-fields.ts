import { describe, expect, it } from '@jest/globals';
import { configMap, cronJob } from '../cluster';
import { arrayAt, objectAt, stringAt, type JsonObject, type JsonValue } from '../json';
import { merge, strategic } from './contract-client';
import type { ContractContext } from './contract';

function entryOf(body: JsonValue, manager: string): JsonObject {
  return objectAt(arrayAt(body, 'metadata', 'managedFields').find((entry) => stringAt(entry, 'manager') === manager));
}

/** Who wrote which field and when. The product reads it to determine the age of a change. */
export function managedFieldsContract(context: () => ContractContext): void {
  describe('managedFields', () => {
    it('names the program of a creation by its User-Agent, with the time in whole seconds', async () => {
      const { client, namespace, path } = context();
      const object = configMap({ name: 'a', namespace, data: { x: '1' }, annotations: { 'a.b/c': 'd' } });
      const { body } = await client.post(path('v1', 'configmaps'), object, { userAgent: 'helm/3.1 (linux)' });
      expect(arrayAt(body, 'metadata', 'managedFields')).toEqual([
        {
          manager: 'helm',
          operation: 'Update',
          apiVersion: 'v1',
          time: stringAt(body, 'metadata', 'creationTimestamp'),
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:data': { '.': {}, 'f:x': {} },
            'f:metadata': { 'f:annotations': { '.': {}, 'f:a.b/c': {} } },
          },
        },
      ]);
    });

    it('gives a patcher what it changed, under its fieldManager', async () => {
      const { client, namespace, path } = context();
      await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace, data: { x: '1', y: '1' } }));
      const { body } = await client.patch(`${path('v1', 'configmaps', 'a')}?fieldManager=reroll`, merge, {
        data: { y: '2', z: '3' },
        metadata: { annotations: { n: '1' } },
      });
      expect(entryOf(body, 'reroll')['fieldsV1']).toEqual({
        'f:data': { 'f:y': {}, 'f:z': {} },
        'f:metadata': { 'f:annotations': { '.': {}, 'f:n': {} } },
      });
      expect(entryOf(body, 'contract')['fieldsV1']).toEqual({ 'f:data': { '.': {}, 'f:x': {} } });
    });

    it('takes a key that is gone from everyone', async () => {
      const { client, namespace, path } = context();
      await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace, data: { x: '1', y: '1' } }));
      const { body } = await client.patch(`${path('v1', 'configmaps', 'a')}?fieldManager=other`, merge, {
        data: { y: null },
      });
      expect(arrayAt(body, 'metadata', 'managedFields')).toHaveLength(1);
      expect(entryOf(body, 'contract')['fieldsV1']).toEqual({ 'f:data': { '.': {}, 'f:x': {} } });
    });

    it('moves the time of the writer and no other', async () => {
      const { client, server, namespace, path } = context();
      const created = await client.post(
        path('v1', 'configmaps'),
        configMap({ name: 'a', namespace, data: { x: '1' } }),
      );
      await server.elapse(1_100);
      const { body } = await client.patch(`${path('v1', 'configmaps', 'a')}?fieldManager=reroll`, merge, {
        data: { y: '1' },
      });
      const before = stringAt(entryOf(created.body, 'contract'), 'time') ?? '';
      expect(stringAt(entryOf(body, 'contract'), 'time')).toBe(before);
      expect(Date.parse(stringAt(entryOf(body, 'reroll'), 'time') ?? '')).toBeGreaterThan(Date.parse(before));
    });

    it('keeps no time of a removal, not even with whom the rest belongs to', async () => {
      const { client, server, namespace, path } = context();
      const created = await client.post(
        path('v1', 'configmaps'),
        configMap({ name: 'a', namespace, data: { x: '1', y: '1' } }),
      );
      await server.elapse(1_100);
      const { body } = await client.patch(path('v1', 'configmaps', 'a'), merge, { data: { y: null } });
      expect(entryOf(body, 'contract')['fieldsV1']).toEqual({ 'f:data': { '.': {}, 'f:x': {} } });
      expect(stringAt(entryOf(body, 'contract'), 'time')).toBe(stringAt(entryOf(created.body, 'contract'), 'time'));
    });

    it('names list items by their keys', async () => {
      const { client, namespace, path } = context();
      await client.post(path('batch/v1', 'cronjobs'), cronJob({ name: 'c', namespace, spec: { suspend: true } }));
      const containers = [{ name: 'app', env: [{ name: 'X', value: '1' }] }];
      const patch = { spec: { jobTemplate: { spec: { template: { spec: { containers } } } } } };
      const { body } = await client.patch(`${path('batch/v1', 'cronjobs', 'c')}?fieldManager=reroll`, strategic, patch);
      const env = { '.': {}, 'k:{"name":"X"}': { '.': {}, 'f:name': {}, 'f:value': {} } };
      const podSpec = { 'f:containers': { 'k:{"name":"app"}': { 'f:env': env } } };
      expect(entryOf(body, 'reroll')['fieldsV1']).toEqual({
        'f:spec': { 'f:jobTemplate': { 'f:spec': { 'f:template': { 'f:spec': podSpec } } } },
      });
    });

    it('tells a status apart', async () => {
      const { client, namespace, path } = context();
      await client.post(path('batch/v1', 'cronjobs'), cronJob({ name: 'c', namespace, spec: { suspend: true } }));
      const url = `${path('batch/v1', 'cronjobs', 'c')}/status?fieldManager=reroll`;
      const { body } = await client.patch(url, merge, { status: { lastScheduleTime: '2026-01-01T00:00:00Z' } });
      expect(entryOf(body, 'reroll')).toMatchObject({
        subresource: 'status',
        fieldsV1: { 'f:status': { 'f:lastScheduleTime': {} } },
      });
    });
  });

  describe('server-side apply', () => {
    const applyType = 'application/apply-patch+yaml';

    it('creates, changes and drops what it applied', async () => {
      const { client, namespace, path } = context();
      const url = `${path('v1', 'configmaps', 'a')}?fieldManager=deployer`;
      const created = await client.patch(url, applyType, configMap({ name: 'a', namespace, data: { x: '1', y: '1' } }));
      expect(created.status).toBe(201);
      expect(entryOf(created.body, 'deployer')).toMatchObject({
        operation: 'Apply',
        fieldsV1: { 'f:data': { 'f:x': {}, 'f:y': {} } },
      });
      await client.patch(`${path('v1', 'configmaps', 'a')}?fieldManager=other`, merge, { data: { z: '1' } });
      const applied = await client.patch(url, applyType, configMap({ name: 'a', namespace, data: { x: '2' } }));
      expect(applied.status).toBe(200);
      expect(objectAt(applied.body, 'data')).toEqual({ x: '2', z: '1' });
    });

    it('refuses to take a field from another, unless forced', async () => {
      const { client, namespace, path } = context();
      await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace, data: { x: '1' } }));
      const url = `${path('v1', 'configmaps', 'a')}?fieldManager=deployer`;
      const configuration = configMap({ name: 'a', namespace, data: { x: '2' } });
      const refused = await client.patch(url, applyType, configuration);
      expect(refused.body).toMatchObject({ code: 409, reason: 'Conflict' });
      expect(stringAt(refused.body, 'message')).toBe(
        'Apply failed with 1 conflict: conflict with "contract" using v1: .data.x',
      );
      const forced = await client.patch(`${url}&force=true`, applyType, configuration);
      expect(objectAt(forced.body, 'data')).toEqual({ x: '2' });
      expect(entryOf(forced.body, 'contract')['fieldsV1']).toEqual({ 'f:data': {} });
    });

    it('writes only the version and the object that it names, even when forced', async () => {
      const { client, namespace, path } = context();
      const { body } = await client.post(
        path('v1', 'configmaps'),
        configMap({ name: 'a', namespace, data: { x: '1' } }),
      );
      const { uid, resourceVersion } = objectAt(body, 'metadata');
      const url = `${path('v1', 'configmaps', 'a')}?fieldManager=deployer&force=true`;
      const apply = async (metadata: JsonObject) =>
        await client.patch(url, applyType, {
          ...configMap({ name: 'a', namespace, data: { x: '2' } }),
          metadata: { name: 'a', namespace, ...metadata },
        });
      await client.patch(`${path('v1', 'configmaps', 'a')}?fieldManager=other`, merge, { data: { z: '1' } });
      expect((await apply({ uid, resourceVersion })).body).toMatchObject({ code: 409, reason: 'Conflict' });
      expect((await apply({ uid: 'another' })).body).toMatchObject({ code: 422, reason: 'Invalid' });
      expect((await apply({ uid: 'another', resourceVersion })).body).toMatchObject({ code: 409, reason: 'Conflict' });
      expect((await apply({ uid })).status).toBe(200);
    });

    it('needs a fieldManager', async () => {
      const { client, namespace, path } = context();
      const { body } = await client.patch(
        path('v1', 'configmaps', 'a'),
        applyType,
        configMap({ name: 'a', namespace }),
      );
      expect(body['code']).toBe(422);
      expect(stringAt(body, 'message')).toContain('fieldManager: Required value: is required for apply patch');
    });
  });
}
