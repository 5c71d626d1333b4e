import { expect, it } from '@jest/globals';
import { workloadKind, type WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { valueOf } from './seen';
import { readEvidence } from './workload-evidence';

async function podLabelsOf(kind: WorkloadKindName, selector: object | undefined) {
  const metadata = { namespace: 'shop', name: 'web', uid: 'u', resourceVersion: '1' };
  const { client } = clientWorld(({ path }) => {
    const isWorkload = path.endsWith('/web');
    const body = isWorkload ? { metadata, spec: { selector } } : { reason: 'NotFound', code: 404 };
    return { status: isWorkload ? 200 : 404, body: JSON.stringify(body) };
  });
  const asked = { kind: workloadKind(kind), namespace: 'shop', name: 'web' };
  const { object } = await readEvidence(client, asked, 'reroll', { timeoutMs: 1_000 });
  return valueOf(object)?.podLabels;
}

it.each<[WorkloadKindName, object | undefined, object]>([
  ['Deployment', { matchLabels: { app: 'web' } }, { app: 'web' }],
  ['DeploymentConfig', { app: 'web' }, { app: 'web' }],
  ['DeploymentConfig', undefined, {}],
  ['CronJob', undefined, {}],
])('the pods of a %s are found by its selector %j', async (kind, selector, labels) => {
  expect(await podLabelsOf(kind, selector)).toEqual(labels);
});

it('tells of a Rollout that refers to a Deployment by a name that no object has', async () => {
  const { client } = clientWorld(({ path }) => {
    if (path.endsWith('/..')) return { status: 400, body: JSON.stringify({ reason: 'BadRequest', code: 400 }) };
    if (!path.endsWith('/web')) return { status: 404, body: JSON.stringify({ reason: 'NotFound', code: 404 }) };
    const metadata = { namespace: 'shop', name: 'web', uid: 'u', resourceVersion: '1' };
    const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: '..' };
    return { body: JSON.stringify({ metadata, spec: { workloadRef } }) };
  });
  const asked = { kind: workloadKind('Rollout'), namespace: 'shop', name: 'web' };
  const { object } = await readEvidence(client, asked, 'reroll', { timeoutMs: 1_000 });
  expect(valueOf(object)?.record.name).toBe('web');
});
