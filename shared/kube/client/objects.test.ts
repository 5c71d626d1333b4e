import { describe, expect, it } from '@jest/globals';
import { bodyOf, clientWorld } from './client.fixture';
import {
  applyObject,
  createObject,
  deleteObject,
  getObject,
  getObjectAt,
  listObjects,
  newestVersion,
  patchObject,
  updateObject,
} from './objects';
import { configMaps } from '../resource';

const deployments = { group: 'apps', version: 'v1', plural: 'deployments' };
const metadata = { name: 'web', namespace: 'shop', uid: 'u1', resourceVersion: '7', annotations: { a: 'b' } };
const answer = { body: { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { unknownField: 1 } } };

describe('objects', () => {
  it('keeps unknown fields', async () => {
    const { client, transport } = clientWorld(() => answer);
    expect(await getObject(client, deployments, 'shop', 'web')).toEqual(answer.body);
    expect(transport.requests[0]?.path).toBe('/apis/apps/v1/namespaces/shop/deployments/web');
  });

  it.each([
    ['strategic', 'application/strategic-merge-patch+json'],
    ['merge', 'application/merge-patch+json'],
  ] as const)('patches with the content type of a %s patch, and asks for metadata only', async (type, contentType) => {
    const { client, transport } = clientWorld(() => answer);
    const patched = await patchObject(client, deployments, 'shop', 'web', { spec: {} }, { type, subresource: 'scale' });
    expect(patched).toEqual({ metadata });
    expect(transport.requests[0]).toMatchObject({
      method: 'PATCH',
      path: '/apis/apps/v1/namespaces/shop/deployments/web/scale?fieldManager=reroll',
      headers: {
        'content-type': contentType,
        accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
      },
    });
  });

  it('reads the whole object after a patch on request', async () => {
    const { client, transport } = clientWorld(() => answer);
    const patched = await patchObject(client, deployments, 'shop', 'web', { spec: {} }, { type: 'merge', whole: true });
    expect(patched).toMatchObject({ metadata, spec: { unknownField: 1 } });
    expect(transport.requests[0]?.headers['accept']).toBe('application/json');
  });

  it('uses a dry run on request', async () => {
    const { client, transport } = clientWorld(() => answer);
    await createObject(client, deployments, 'shop', {}, { dryRun: true });
    await patchObject(client, deployments, 'shop', 'web', {}, { type: 'merge', dryRun: true });
    expect(transport.requests.map(({ path }) => path.split('?')[1])).toEqual([
      'fieldManager=reroll&dryRun=All',
      'fieldManager=reroll&dryRun=All',
    ]);
  });

  it('creates and replaces as field manager reroll, within the given time', async () => {
    const { client, transport } = clientWorld(() => answer);
    await createObject(client, deployments, 'shop', { spec: 1 });
    await updateObject(client, deployments, 'shop', 'web', { spec: 2 });
    expect(transport.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /apis/apps/v1/namespaces/shop/deployments?fieldManager=reroll',
      'PUT /apis/apps/v1/namespaces/shop/deployments/web?fieldManager=reroll',
    ]);
    expect(transport.requests.map(bodyOf)).toEqual([{ spec: 1 }, { spec: 2 }]);
  });

  it('applies as the given manager, and takes over fields from others', async () => {
    const { client, transport } = clientWorld(() => answer);
    const applied = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: 1 } };
    await applyObject(client, deployments, 'shop', 'web', applied, { fieldManager: 'reroll-test' });
    expect(transport.requests[0]).toMatchObject({
      method: 'PATCH',
      path: '/apis/apps/v1/namespaces/shop/deployments/web?fieldManager=reroll-test&force=true',
      headers: { 'content-type': 'application/apply-patch+yaml' },
    });
    expect(bodyOf(transport.requests[0])).toEqual(applied);
  });

  it('deletes only the given object and version', async () => {
    const { client, transport } = clientWorld(() => ({ body: { kind: 'Status' } }));
    await deleteObject(client, deployments, 'shop', 'web', {
      uid: 'u1',
      resourceVersion: '7',
      propagationPolicy: 'Background',
    });
    expect(bodyOf(transport.requests[0])).toMatchObject({
      kind: 'DeleteOptions',
      propagationPolicy: 'Background',
      preconditions: { uid: 'u1', resourceVersion: '7' },
    });
  });

  it('lists what the selector selects', async () => {
    const { client, transport } = clientWorld((_request, index) => ({
      body: { items: index === 0 ? [{ metadata }] : null },
    }));
    expect(await listObjects(client, configMaps, 'shop', { labelSelector: 'a=b' })).toEqual([{ metadata }]);
    expect(await listObjects(client, configMaps)).toEqual([]);
    expect(transport.requests.map((request) => request.path)).toEqual([
      '/api/v1/namespaces/shop/configmaps?labelSelector=a%3Db',
      '/api/v1/configmaps',
    ]);
  });

  it('lists page by page, fields that are selected, and metadata alone', async () => {
    const { client, transport } = clientWorld((_request, index) => ({
      body: { metadata: { continue: index === 0 ? 'next page' : '' }, items: [{ metadata }] },
    }));
    const options = { pageSize: 1, fieldSelector: 'type=x', metadataOnly: true };
    expect(await listObjects(client, configMaps, 'shop', options)).toEqual([{ metadata }, { metadata }]);
    expect(transport.requests.map(({ path }) => path.split('?')[1])).toEqual([
      'fieldSelector=type%3Dx&limit=1',
      'fieldSelector=type%3Dx&limit=1&continue=next+page',
    ]);
    expect(transport.requests[0]?.headers['accept']).toContain('as=PartialObjectMetadataList');
  });

  it('reads an object as it was at a version', async () => {
    const { client, transport } = clientWorld((_request, index) => ({
      body: { items: index === 0 ? [answer.body] : [] },
    }));
    expect(await getObjectAt(client, deployments, 'shop', 'web', '5')).toEqual(answer.body);
    expect(await getObjectAt(client, deployments, 'shop', 'web', '4')).toBeUndefined();
    expect(transport.requests[0]?.path).toBe(
      '/apis/apps/v1/namespaces/shop/deployments?fieldSelector=metadata.name%3Dweb&resourceVersion=5&resourceVersionMatch=Exact',
    );
  });

  it('asks for the newest version with a page of metadata', async () => {
    const { client, transport } = clientWorld(() => ({ body: { metadata: { resourceVersion: '12' }, items: [] } }));
    expect(await newestVersion(client, configMaps, 'shop')).toBe('12');
    expect(transport.requests[0]).toMatchObject({
      path: '/api/v1/namespaces/shop/configmaps?limit=1',
      headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json' },
    });
  });

  it('reports what is wrong with an answer that is not an object', async () => {
    const { client } = clientWorld(() => ({ body: { metadata: { name: 'web', uid: 7 } } }));
    await expect(getObject(client, deployments, 'shop', 'web')).rejects.toThrow(/deployments.apps .* metadata.uid/);
  });
});
