import { describe, expect, it } from '@jest/globals';
import { configMap, cronJob } from '../cluster';
import { arrayAt, objectAt, stringAt, valueAt, type JsonObject, type JsonValue } from '../json';
import { jsonPatch, merge, strategic } from './contract-client';
import type { ContractContext } from './contract';

const template = ['spec', 'jobTemplate', 'spec', 'template', 'spec'] as const;

/** A patch for the pod template of a CronJob. The tests suspend it, so that its controller does not write to it. */
function templatePatch(podSpec: JsonObject): JsonObject {
  return { spec: { jobTemplate: { spec: { template: { spec: podSpec } } } } };
}

function environment(body: JsonValue): readonly (string | undefined)[] {
  return arrayAt(arrayAt(body, ...template, 'containers')[0], 'env').map(
    (variable) => `${stringAt(variable, 'name') ?? ''}=${stringAt(variable, 'value') ?? ''}`,
  );
}

/** JSON, merge and strategic merge patches. */
export function patchContract(context: () => ContractContext): void {
  async function patchedCronJob(options: JsonObject, ...patches: readonly JsonObject[]): Promise<JsonObject> {
    const { client, namespace, path } = context();
    const created = await client.post(
      path('batch/v1', 'cronjobs'),
      cronJob({ name: 'c', namespace, spec: { suspend: true }, ...options }),
    );
    let body = created.body;
    for (const patch of patches) body = (await client.patch(path('batch/v1', 'cronjobs', 'c'), strategic, patch)).body;
    return body;
  }

  describe('strategic merge patch', () => {
    it('merges environment variables by name, new ones first', async () => {
      const env = [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ];
      const containers = [
        {
          name: 'app',
          env: [
            { name: 'B', value: '3' },
            { name: 'NEW', value: '4' },
          ],
        },
      ];
      expect(environment(await patchedCronJob({ env }, templatePatch({ containers })))).toEqual([
        'A=1',
        'B=3',
        'NEW=4',
      ]);
    });

    it('puts a variable that is new before those that the patch does not name', async () => {
      const env = [{ name: 'A', value: '1' }];
      const containers = [{ name: 'app', env: [{ name: 'NEW', value: '4' }] }];
      expect(environment(await patchedCronJob({ env }, templatePatch({ containers })))).toEqual(['NEW=4', 'A=1']);
    });

    it('leaves the other containers and fields alone', async () => {
      const containers = [
        { name: 'app', image: 'a:1' },
        { name: 'side', image: 'b:1' },
      ];
      const patch = templatePatch({ containers: [{ name: 'side', env: [{ name: 'X', value: '1' }] }] });
      const after = await patchedCronJob({ containers }, patch);
      expect(arrayAt(after, ...template, 'containers')).toMatchObject(
        [
          { name: 'side', image: 'b:1', env: [{ name: 'X', value: '1' }] },
          { name: 'app', image: 'a:1' },
        ].reverse(),
      );
    });

    it('deletes an item with $patch: delete', async () => {
      const env = [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ];
      const containers = [{ name: 'app', env: [{ name: 'A', $patch: 'delete' }] }];
      expect(environment(await patchedCronJob({ env }, templatePatch({ containers })))).toEqual(['B=2']);
    });

    it('replaces a list with $patch: replace', async () => {
      const env = [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ];
      const containers = [{ name: 'app', env: [{ $patch: 'replace' }, { name: 'C', value: '3' }] }];
      expect(environment(await patchedCronJob({ env }, templatePatch({ containers })))).toEqual(['C=3']);
    });

    it('puts the containers that a patch names into its order', async () => {
      const containers = ['c', 'a'].map((name) => ({ name, env: [{ name: 'A', value: '1' }] }));
      const others = ['a', 'b', 'c'].map((name) => ({ name, image: 'registry.example/app:1' }));
      const after = await patchedCronJob({}, templatePatch({ containers: others }), templatePatch({ containers }));
      const names = arrayAt(after, ...template, 'containers').map((container) => stringAt(container, 'name'));
      expect(names.filter((name) => name !== 'app')).toEqual(['b', 'c', 'a']);
    });

    it('orders as $setElementOrder says', async () => {
      const env = [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ];
      const order = [{ name: 'B' }, { name: 'C' }, { name: 'A' }];
      const containers = [{ name: 'app', '$setElementOrder/env': order, env: [{ name: 'C', value: '3' }] }];
      expect(environment(await patchedCronJob({ env }, templatePatch({ containers })))).toEqual(['B=2', 'C=3', 'A=1']);
    });

    it('replaces envFrom and tolerations as a whole', async () => {
      const after = await patchedCronJob(
        { envFrom: [{ configMapRef: { name: 'a' } }] },
        templatePatch({
          containers: [{ name: 'app', envFrom: [{ configMapRef: { name: 'b' } }] }],
          tolerations: [{ key: 'x', operator: 'Exists' }],
        }),
        templatePatch({ containers: [{ name: 'app' }], tolerations: [{ key: 'y', operator: 'Exists' }] }),
      );
      expect(valueAt(arrayAt(after, ...template, 'containers')[0], 'envFrom')).toEqual([
        { configMapRef: { name: 'b' } },
      ]);
      expect(arrayAt(after, ...template, 'tolerations')).toEqual([{ key: 'y', operator: 'Exists' }]);
    });

    it('merges finalizers as a set, and deletes from it', async () => {
      const { client, path } = context();
      const after = await patchedCronJob(
        {},
        { metadata: { finalizers: ['contract.test/a'] } },
        { metadata: { finalizers: ['contract.test/b', 'contract.test/a'] } },
      );
      expect([...arrayAt(after, 'metadata', 'finalizers')].sort()).toEqual(['contract.test/a', 'contract.test/b']);
      const removed = await client.patch(path('batch/v1', 'cronjobs', 'c'), strategic, {
        metadata: { '$deleteFromPrimitiveList/finalizers': ['contract.test/a', 'contract.test/b'] },
      });
      expect(arrayAt(removed.body, 'metadata', 'finalizers')).toEqual([]);
    });

    it('removes a key with null', async () => {
      const after = await patchedCronJob(
        { annotations: { a: '1', b: '2' } },
        { metadata: { annotations: { a: null } } },
      );
      expect(objectAt(after, 'metadata', 'annotations')).toEqual({ b: '2' });
    });

    it('keeps only $retainKeys', async () => {
      const volumes = [{ name: 'v', emptyDir: {} }];
      const patch = templatePatch({
        volumes: [{ $retainKeys: ['name', 'configMap'], name: 'v', configMap: { name: 'a' } }],
      });
      const after = await patchedCronJob({ volumes }, patch);
      expect(arrayAt(after, ...template, 'volumes')).toEqual([
        { name: 'v', configMap: { name: 'a', defaultMode: 420 } },
      ]);
    });

    it('is guarded by a resourceVersion', async () => {
      const { client, path } = context();
      const body = await patchedCronJob({});
      const url = path('batch/v1', 'cronjobs', 'c');
      const resourceVersion = stringAt(body, 'metadata', 'resourceVersion');
      const guarded = { metadata: { resourceVersion, annotations: { a: '1' } } };
      expect((await client.patch(url, strategic, guarded)).status).toBe(200);
      const late = await client.patch(url, strategic, { metadata: { resourceVersion, annotations: { a: '2' } } });
      expect(late.body).toMatchObject({ code: 409, reason: 'Conflict' });
      expect(stringAt(late.body, 'message')).toContain('Operation cannot be fulfilled on cronjobs.batch "c"');
    });
  });

  describe('JSON patch', () => {
    it('fails as a whole when a test fails', async () => {
      const { client, namespace, path } = context();
      const { body } = await client.post(
        path('v1', 'configmaps'),
        configMap({ name: 'a', namespace, data: { x: '1' } }),
      );
      const refused = await client.patch(path('v1', 'configmaps', 'a'), jsonPatch, [
        { op: 'replace', path: '/data/x', value: '2' },
        { op: 'test', path: '/metadata/resourceVersion', value: '1' },
      ]);
      expect(refused.status).toBe(422);
      expect(refused.body).toMatchObject({
        reason: 'Invalid',
        message: 'the server rejected our request due to an error in our request',
      });
      expect((await client.get(path('v1', 'configmaps', 'a'))).body).toEqual(body);
    });

    it('adds, replaces, removes, copies and moves', async () => {
      const { client, namespace, path } = context();
      await client.post(
        path('v1', 'configmaps'),
        configMap({ name: 'a', namespace, data: { x: '1', y: '2' }, annotations: { 'a/b': 'c' } }),
      );
      const patched = await client.patch(path('v1', 'configmaps', 'a'), jsonPatch, [
        { op: 'test', path: '/data/x', value: '1' },
        { op: 'add', path: '/data/z', value: '3' },
        { op: 'replace', path: '/data/x', value: '0' },
        { op: 'remove', path: '/data/y' },
        { op: 'copy', from: '/data/x', path: '/data/copied' },
        { op: 'move', from: '/data/z', path: '/data/moved' },
        { op: 'remove', path: '/metadata/annotations/a~1b' },
      ]);
      expect(objectAt(patched.body, 'data')).toEqual({ x: '0', copied: '0', moved: '3' });
      expect(valueAt(patched.body, 'metadata', 'annotations')).toBeUndefined();
    });

    it('refuses a path whose parent is missing', async () => {
      const { client, namespace, path } = context();
      await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace }));
      const add = [{ op: 'add', path: '/metadata/annotations/x', value: '1' }];
      expect((await client.patch(path('v1', 'configmaps', 'a'), jsonPatch, add)).status).toBe(422);
    });

    it('must be a list', async () => {
      const { client, namespace, path } = context();
      await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace }));
      const refused = await client.patch(path('v1', 'configmaps', 'a'), jsonPatch, { metadata: {} });
      expect(refused.body).toMatchObject({ code: 400, reason: 'BadRequest' });
    });
  });

  describe('merge patch', () => {
    it('sets keys, and removes those that are null', async () => {
      const { client, namespace, path } = context();
      await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace, data: { x: '1', y: '2' } }));
      const patched = await client.patch(path('v1', 'configmaps', 'a'), merge, { data: { x: null, z: '3' } });
      expect(objectAt(patched.body, 'data')).toEqual({ y: '2', z: '3' });
    });

    it('writes nothing when nothing changes', async () => {
      const { client, namespace, path } = context();
      const { body } = await client.post(
        path('v1', 'configmaps'),
        configMap({ name: 'a', namespace, data: { x: '1' } }),
      );
      const patched = await client.patch(path('v1', 'configmaps', 'a'), merge, { data: { x: '1' } });
      expect(patched.status).toBe(200);
      expect(patched.body).toEqual(body);
    });

    it('answers only the metadata when that is asked for', async () => {
      const { client, namespace, path } = context();
      await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace, data: { x: '1' } }));
      const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
      const patched = await client.patch(
        path('v1', 'configmaps', 'a'),
        merge,
        { metadata: { annotations: { a: '1' } } },
        { accept },
      );
      expect(patched.body).toMatchObject({
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { name: 'a', annotations: { a: '1' } },
      });
      expect(patched.body['data']).toBeUndefined();
    });
  });

  it('refuses a patch that is plain JSON', async () => {
    const { client, namespace, path } = context();
    await client.post(path('v1', 'configmaps'), configMap({ name: 'a', namespace }));
    const refused = await client.patch(path('v1', 'configmaps', 'a'), 'application/json', {});
    expect(refused.body).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
  });
}
