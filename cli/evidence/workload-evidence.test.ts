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
