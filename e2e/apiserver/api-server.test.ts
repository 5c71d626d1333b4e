import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import type { AdmissionHook } from './admission';
import { ApiServer, type ApiServerOptions } from './api-server';
import { configMap, deployment, secret, seed, seedNamespace } from './cluster';
import { ContractClient } from './contract/contract-client';
import { encodeProtobuf } from './protobuf-encode';
import { inProcessTransport } from './in-process-transport';
import { arrayAt, objectAt, stringAt, withValueAt } from './json';
import { configMapKind, customKind, deploymentKind } from './resources';
import { seededRandom } from './seeded-random';

function start(options: Partial<ApiServerOptions> = {}) {
  const clock = new FakeClock();
  const server = new ApiServer({ clock, random: seededRandom(1), ...options });
  const transport = inProcessTransport(server, 'reroll');
  return { clock, server, transport, client: new ContractClient(transport) };
}

const configMaps = '/api/v1/namespaces/default/configmaps';
const watchList = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

describe('determinism', () => {
  it('makes the same bytes out of the same seed', async () => {
    const run = async (): Promise<string> => {
      const { server, client } = start();
      seed(server, configMap({ name: 'a', data: { x: '1' } }), deployment({ name: 'web' }));
      return (
        (await client.get('/apis/apps/v1/deployments')).bytes.toString() +
        (await client.get(configMaps)).bytes.toString()
      );
    };
    expect(await run()).toBe(await run());
  });
});

describe('history and request log', () => {
  it('keeps every write with user, manager and verb', async () => {
    const { server, client } = start();
    await client.post(`${configMaps}?fieldManager=kubectl`, configMap({ name: 'a', data: { x: '1' } }));
    await client.delete(`${configMaps}/a`);
    const records = server.history().filter(({ kind }) => kind === configMapKind);
    expect(records.map(({ type, user, manager, verb, key }) => [type, user, manager, verb, key])).toEqual([
      ['ADDED', 'reroll', 'kubectl', 'create', 'default/a'],
      ['DELETED', 'reroll', 'contract', 'delete', 'default/a'],
    ]);
    expect(records[1]?.previous).toBe(records[0]?.object);
    expect((records[1]?.revision ?? 0) > (records[0]?.revision ?? 0)).toBe(true);
  });

  it('logs every request with its answer', async () => {
    const { server, client } = start();
    await client.get(`${configMaps}/none`);
    await client.get('/apis/apps/v1/deployments?watch=true&timeoutSeconds=1'.replace('watch=true&', ''));
    expect(
      server.requests().map(({ user, verb, resource, namespace, name, code, userAgent }) => ({
        user,
        verb,
        resource,
        namespace,
        name,
        code,
        userAgent,
      })),
    ).toEqual([
      {
        user: 'reroll',
        verb: 'get',
        resource: 'configmaps',
        namespace: 'default',
        name: 'none',
        code: 404,
        userAgent: 'contract/1.0',
      },
      {
        user: 'reroll',
        verb: 'list',
        resource: 'deployments.apps',
        namespace: undefined,
        name: '',
        code: 200,
        userAgent: 'contract/1.0',
      },
    ]);
  });
});

describe('watch options', () => {
  it.each([
    ['rejected', 422],
    ['ignored', 200],
  ] as const)('sendInitialEvents %s', async (mode, code) => {
    const { server, client } = start({ watchList: mode });
    seed(server, configMap({ name: 'a' }));
    const watch = await client.watch(`${configMaps}?${watchList}`);
    expect(watch.status).toBe(code);
    if (mode === 'rejected') return;
    expect((await watch.next())?.type).toBe('ADDED');
    client.closeWatches();
    await expect(watch.next()).rejects.toThrow('aborted');
  });

  it('sends a bookmark every bookmarkIntervalMs, once there is something newer than what was asked for', async () => {
    const { server, client, clock } = start({ bookmarkIntervalMs: 1_000 });
    const watch = await client.watch(
      `${configMaps}?watch=true&allowWatchBookmarks=true&resourceVersion=${server.store.revision}`,
    );
    await clock.advance(60_000);
    seed(server, configMap({ name: 'a' }));
    expect((await watch.next())?.type).toBe('ADDED');
    await clock.advance(2_500);
    expect((await watch.next())?.type).toBe('BOOKMARK');
    expect((await watch.next())?.type).toBe('BOOKMARK');
    client.closeWatches();
    expect(clock.pendingTimers).toBe(0);
  });

  it('tells 410 to a watch that is more than watchWindow writes behind', async () => {
    const { server, client } = start({ watchWindow: 2 });
    const from = server.store.revision;
    seed(server, configMap({ name: 'a' }), configMap({ name: 'b' }));
    const near = await client.watch(`${configMaps}?watch=true&resourceVersion=${from}`);
    expect((await near.next())?.type).toBe('ADDED');
    seed(server, configMap({ name: 'c' }));
    const far = await client.watch(`${configMaps}?watch=true&resourceVersion=${from}`);
    expect(objectAt((await far.next())?.object)['code']).toBe(410);
  });

  it('ends a watch without timeoutSeconds within an hour', async () => {
    const { client, clock } = start();
    const watch = await client.watch(`${configMaps}?watch=true`);
    await clock.advance(3_600_000);
    expect(await watch.next()).toBeUndefined();
  });
});

describe('abort', () => {
  it('closes a watch that was opened but never read', async () => {
    const { server, transport, clock } = start();
    const controller = new AbortController();
    const request = { method: 'GET', path: `${configMaps}?watch=true`, headers: {}, pool: 'watch' } as const;
    const opening = transport.send({ ...request, signal: controller.signal });
    controller.abort();
    await expect(opening).rejects.toThrow('aborted');
    await clock.settle();
    expect(server.watchCache.watcherCount()).toBe(0);
    await expect(transport.send({ ...request, signal: controller.signal })).rejects.toThrow('aborted');
    expect(server.requests()).toHaveLength(1);
  });
});

describe('compaction', () => {
  it('expires a continue token, with one to go on inconsistently', async () => {
    const { server, client } = start();
    seed(server, configMap({ name: 'a' }), configMap({ name: 'b' }), configMap({ name: 'c' }));
    const { body: first } = await client.get(`${configMaps}?limit=1`);
    seed(server, configMap({ name: 'd' }));
    server.compact();
    const next = async (token: string | undefined) =>
      await client.get(`${configMaps}?limit=5&continue=${encodeURIComponent(token ?? '')}`);
    const expired = await next(stringAt(first, 'metadata', 'continue'));
    expect(expired.body).toMatchObject({ code: 410, reason: 'Expired' });
    const rest = await next(stringAt(expired.body, 'metadata', 'continue'));
    expect(arrayAt(rest.body, 'items').map((item) => stringAt(item, 'metadata', 'name'))).toEqual(['b', 'c', 'd']);
  });
});

describe('authorization', () => {
  it('denies in the words of RBAC, and allows again', async () => {
    const { server, client } = start();
    server.rbac.restrict('reroll', [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get'], namespaces: ['default'] },
    ]);
    expect((await client.get(`${configMaps}/a`)).status).toBe(404);
    expect((await client.get('/api/v1/secrets')).body).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message:
        'secrets is forbidden: User "reroll" cannot list resource "secrets" in API group "" at the cluster scope',
    });
    expect(stringAt((await client.delete(`${configMaps}/a`)).body, 'message')).toBe(
      'configmaps "a" is forbidden: User "reroll" cannot delete resource "configmaps" in API group "" in the namespace "default"',
    );
    expect((await client.get('/api/v1/namespaces/other/configmaps/a')).status).toBe(403);
    server.rbac.unrestrict('reroll');
    expect((await client.get('/api/v1/secrets')).status).toBe(200);
  });
});

describe('rules for single objects', () => {
  it('holds for those names alone', async () => {
    const { server, client } = start();
    server.rbac.restrict('reroll', [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get'], resourceNames: ['a'] },
      { apiGroups: ['apps'], resources: ['deployments/status'], verbs: ['*'] },
    ]);
    expect((await client.get(`${configMaps}/a`)).status).toBe(404);
    expect((await client.get(`${configMaps}/b`)).status).toBe(403);
    expect((await client.get('/apis/apps/v1/namespaces/default/deployments/web/status')).status).toBe(404);
    expect((await client.get('/apis/apps/v1/namespaces/default/deployments/web')).status).toBe(403);
  });

  it('holds for a list of one name, as the fields say, and for no other list', async () => {
    const { server, client } = start();
    server.rbac.restrict('reroll', [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['list'], resourceNames: ['a'] },
    ]);
    const status = async (query: string): Promise<number> => (await client.get(`${configMaps}${query}`)).status;
    expect(await status('?fieldSelector=metadata.name%3Da')).toBe(200);
    expect(await status('?fieldSelector=metadata.namespace%3Ddefault,metadata.name%3D%3Da')).toBe(200);
    expect(await status('?fieldSelector=metadata.name%3Db')).toBe(403);
    expect(await status('?fieldSelector=metadata.name!%3Da')).toBe(403);
    expect(await status('')).toBe(403);
  });
});

describe('quota', () => {
  it('rejects what admission let through', async () => {
    const { server, client } = start();
    server.quota.limit('few', 'default', configMapKind, 1);
    expect((await client.post(configMaps, configMap({ name: 'a' }))).status).toBe(201);
    const { body } = await client.post(configMaps, configMap({ name: 'b' }));
    expect(body).toMatchObject({
      code: 403,
      message:
        'configmaps "b" is forbidden: exceeded quota: few, requested: configmaps=1, used: configmaps=1, limited: configmaps=1',
    });
  });
});

describe('admission', () => {
  const hook = (review: AdmissionHook['review']): Partial<ApiServerOptions> => ({
    admission: [{ name: 'hook.test', review }],
  });

  it('may change the object before it is stored', async () => {
    const patch = [{ op: 'add', path: '/data/seen', value: 'yes' }];
    const { client } = start(hook(() => ({ allowed: true, patch })));
    const { body } = await client.post(configMaps, configMap({ name: 'a', data: { x: '1' } }));
    expect(objectAt(body, 'data')).toEqual({ x: '1', seen: 'yes' });
  });

  it('may deny, with its own words', async () => {
    const { server, client } = start(hook(() => ({ allowed: false, message: 'not today' })));
    const { body } = await client.post(configMaps, configMap({ name: 'a' }));
    expect(body).toMatchObject({ code: 403, message: 'admission webhook "hook.test" denied the request: not today' });
    expect(server.store.count(configMapKind)).toBe(0);
  });

  it('sees old and new object, user, operation and dryRun', async () => {
    const seen: unknown[] = [];
    const { server, client } = start(
      hook(({ operation, user, dryRun, object, oldObject }) => {
        seen.push([operation, user, dryRun, objectAt(object, 'data')['x'], objectAt(oldObject, 'data')['x']]);
        return { allowed: true };
      }),
    );
    seed(server, configMap({ name: 'a', data: { x: '1' } }));
    await client.patch(`${configMaps}/a?dryRun=All`, 'application/merge-patch+json', { data: { x: '2' } });
    await client.delete(`${configMaps}/a`);
    expect(seen).toEqual([
      ['UPDATE', 'reroll', true, '2', '1'],
      ['DELETE', 'reroll', false, undefined, '1'],
    ]);
  });

  it('patches what another write left meanwhile', async () => {
    let server: ApiServer | undefined = undefined as ApiServer | undefined;
    let meddled = false;
    const started = start(
      hook(async ({ operation }) => {
        if (operation === 'UPDATE' && !meddled) {
          meddled = true;
          const transport = inProcessTransport(server!, 'other');
          await new ContractClient(transport).patch(`${configMaps}/a`, 'application/merge-patch+json', {
            data: { other: '1' },
          });
        }
        return { allowed: true };
      }),
    );
    server = started.server;
    seed(server, configMap({ name: 'a' }));
    const { body } = await started.client.patch(`${configMaps}/a`, 'application/merge-patch+json', {
      data: { mine: '1' },
    });
    expect(objectAt(body, 'data')).toEqual({ other: '1', mine: '1' });
  });

  it('shows its warnings', async () => {
    const { transport } = start(hook(() => ({ allowed: true, warnings: ['restarts deployment/web'] })));
    const body = Buffer.from(JSON.stringify(configMap({ name: 'a' })));
    const response = await transport.send({ method: 'POST', path: configMaps, headers: {}, body, pool: 'request' });
    expect(response.headers['warning']).toBe('299 - "restarts deployment/web"');
  });
});

describe('custom kinds', () => {
  const rollouts = customKind({ group: 'argoproj.io', version: 'v1alpha1', kind: 'Rollout', plural: 'rollouts' });
  const url = '/apis/argoproj.io/v1alpha1/namespaces/default/rollouts';

  it('serves a kind that is one more row, without strategic merge patch and protobuf', async () => {
    const { client } = start({ customKinds: [rollouts] });
    const created = await client.post(url, { metadata: { name: 'r' }, spec: { any: 'thing' } });
    expect(created.body).toMatchObject({ kind: 'Rollout', apiVersion: 'argoproj.io/v1alpha1', spec: { any: 'thing' } });
    expect((await client.patch(`${url}/r`, 'application/strategic-merge-patch+json', {})).status).toBe(415);
    expect((await client.get(url, { accept: 'application/vnd.kubernetes.protobuf' })).status).toBe(406);
    expect(arrayAt((await client.get(url)).body, 'items')[0]).toMatchObject({ kind: 'Rollout' });
    const resources = arrayAt((await client.get('/apis/argoproj.io/v1alpha1')).body, 'resources');
    expect(resources.map((resource) => stringAt(resource, 'name'))).toEqual(['rollouts']);
  });
});

describe('protobuf bodies', () => {
  it.each([
    [
      'configmaps',
      configMap({ name: 'a', data: { x: 'ä' }, binaryData: { b: 'AAE=' }, annotations: { k: 'v' }, immutable: true }),
    ],
    ['secrets', secret({ name: 's', data: { p: 'q' } })],
  ])('stores the same %s as out of JSON', async (plural, object) => {
    const { transport, client } = start();
    const path = `/api/v1/namespaces/default/${plural}`;
    const body = encodeProtobuf(object.kind, object);
    const headers = { 'Content-Type': 'application/vnd.kubernetes.protobuf' };
    const response = await transport.send({ method: 'POST', path, headers, body, pool: 'request' });
    expect(response.status).toBe(201);
    const stored = await client.get(`${path}/${object.metadata.name ?? ''}`);
    expect(stored.body).toMatchObject(object);
  });

  it('refuses bytes that are none', async () => {
    const { transport } = start();
    const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
    const response = await transport.send({
      method: 'POST',
      path: configMaps,
      headers,
      body: Buffer.from('nonsense'),
      pool: 'request',
    });
    expect(response.status).toBe(400);
  });
});

describe('seeding', () => {
  it('makes namespaces and objects at once', () => {
    const { server } = start();
    seedNamespace(server, 'shop');
    seedNamespace(server, 'shop');
    const [web] = seed(server, deployment({ name: 'web', namespace: 'store' }));
    expect(web?.metadata).toMatchObject({ namespace: 'store', generation: 1 });
    expect(stringAt(server.store.get(deploymentKind, 'store/web'), 'spec', 'template', 'spec', 'dnsPolicy')).toBe(
      'ClusterFirst',
    );
  });
});

describe('old clients and defaults', () => {
  it.each(['/healthz', '/livez', '/readyz'])('answers %s', async (path) => {
    const { client } = start();
    expect((await client.get(path)).bytes.toString()).toBe('ok');
  });

  it('tells its version and groups', async () => {
    const { client } = start();
    expect((await client.get('/version')).body).toMatchObject({ major: '1', minor: '36', gitVersion: 'v1.36.3' });
    const groups = arrayAt((await client.get('/apis')).body, 'groups').map((group) => stringAt(group, 'name'));
    expect(groups).toEqual(['apps', 'batch', 'coordination.k8s.io']);
    expect((await client.get('/apis/apps')).body).toMatchObject({ kind: 'APIGroup', name: 'apps' });
    expect((await client.get('/openapi/v2')).status).toBe(404);
  });

  it('tells kubectl that the server validates fields', async () => {
    const { client } = start();
    const documents = objectAt((await client.get('/openapi/v3')).body, 'paths');
    expect(Object.keys(documents)).toContain('apis/apps/v1');
    const { body } = await client.get(stringAt(documents, 'apis/apps/v1', 'serverRelativeURL') ?? '');
    const patch = objectAt(body, 'paths', '/apis/apps/v1/namespaces/{namespace}/deployments/{name}', 'patch');
    expect(patch['x-kubernetes-group-version-kind']).toEqual({ group: 'apps', version: 'v1', kind: 'Deployment' });
    expect(arrayAt(patch, 'parameters').map((parameter) => stringAt(parameter, 'name'))).toEqual(['fieldValidation']);
  });

  it('starts with the namespaces of a new cluster', async () => {
    const { client } = start();
    const names = arrayAt((await client.get('/api/v1/namespaces')).body, 'items').map((item) =>
      stringAt(item, 'metadata', 'name'),
    );
    expect(names).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
  });

  it('does not let a client set what the server makes', async () => {
    const { client } = start();
    const forged = withValueAt(configMap({ name: 'a' }), ['metadata', 'generation'], 9);
    const { body } = await client.post(configMaps, withValueAt(forged, ['metadata', 'uid'], 'mine'));
    expect(objectAt(body, 'metadata')['generation']).toBeUndefined();
    expect(stringAt(body, 'metadata', 'uid')).not.toBe('mine');
  });
});
