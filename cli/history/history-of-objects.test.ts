import { expect, it } from '@jest/globals';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { readObjects } from './history-of-objects';

const last = { at: '2026-01-01T12:00:00.000Z', id: '3f9c2a71', sources: { 'cm/app': ['color'] } };
const annotations = { 'reroll.dev/last-restart': JSON.stringify(last) };
const web = { metadata: { namespace: 'shop', name: 'web', uid: 'u', resourceVersion: '1', annotations } };
const reported = {
  ...{ reason: 'ReloadUnhealthy', source: { component: 'reroll' } },
  involvedObject: { kind: 'Deployment', namespace: 'shop', name: 'web' },
  message: 'not healthy since the restart 3f9c2a71: 0 of 1 pods are available',
};

async function entriesWith(event: object) {
  const listed: Readonly<Record<string, readonly object[]>> = {
    '/apis/apps/v1/deployments': [web],
    '/api/v1/events': [{ metadata: { namespace: 'shop', name: 'web.1', uid: 'e', resourceVersion: '1' }, ...event }],
  };
  const { client } = clientWorld(({ path }) => {
    const items = listed[path.split('?')[0] ?? ''] ?? [];
    return { body: JSON.stringify({ metadata: { resourceVersion: '1' }, items }) };
  });
  const question = {
    workload: undefined,
    namespace: undefined,
    sinceMs: 0,
    rerollNamespace: 'reroll',
    timeoutMs: 1_000,
  };
  return (await readObjects(client, question)).entries;
}

it('believes the Event of Reroll that pods did not become well', async () => {
  expect(await entriesWith(reported)).toMatchObject([
    { name: 'web', outcome: 'unhealthy', reason: '0 of 1 pods are available' },
  ]);
});

it.each([
  ['about a workload of another namespace', { involvedObject: { ...reported.involvedObject, namespace: 'liars' } }],
  ['about another workload', { involvedObject: { ...reported.involvedObject, name: 'api' } }],
  ['about another kind', { involvedObject: { ...reported.involvedObject, kind: 'StatefulSet' } }],
  ['by somebody else', { source: { component: 'kubelet' } }],
])('believes no Event %s', async (_what, changed) => {
  expect(await entriesWith({ ...reported, ...changed })).toMatchObject([{ name: 'web', outcome: 'unknown' }]);
});
