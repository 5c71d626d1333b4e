import { configMap } from '../apiserver/cluster';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import type { HookType } from '../../webhook/registration/webhook-configuration';
import { admissionFailures } from './admission-counts';
import type { MetricSamples } from '../metric-samples';
import type { ClusterUnderTest } from './cluster-under-test';
import { metricsOf, namespace } from './reroll-cluster';

const paths: Readonly<Record<HookType, string>> = { mutating: 'mutate', validating: 'validate' };

/**
 * Writes until the API server calls the webhook through each of these registrations. It learns of them with a delay.
 */
export async function untilCalled(
  cluster: ClusterUnderTest,
  webhook: RerollProcess,
  hooks: readonly HookType[] = ['validating'],
): Promise<void> {
  const calls = (metrics: MetricSamples): readonly number[] =>
    hooks.map((hook) => metrics.sum('reroll_webhook_requests_total', { path: paths[hook], code: '200' }));
  const before = calls(await metricsOf(webhook));
  await pollUntil('the webhook to be called', async () => {
    await writeProbe(cluster);
    const now = calls(await metricsOf(webhook));
    return now.every((count, hook) => count > before[hook]!) ? true : undefined;
  });
}

/** Writes until the API server fails to call a webhook, because of what the test has broken. */
export async function untilFailOpen(cluster: ClusterUnderTest): Promise<void> {
  const failOpen = async (): Promise<number> => (await admissionFailures(cluster)).failOpen;
  const before = await failOpen();
  await pollUntil('a call of the webhook to fail', async () => {
    await writeProbe(cluster);
    return (await failOpen()) > before ? true : undefined;
  });
}

/** Changes a ConfigMap that nothing uses. */
async function writeProbe(cluster: ClusterUnderTest): Promise<void> {
  const probe = configMap({ name: 'probe', namespace, data: { at: String(performance.now()) } });
  const path = `/api/v1/namespaces/${namespace}/configmaps/probe?fieldManager=e2e&force=true`;
  await cluster.admin.patch(path, 'application/apply-patch+yaml', probe);
}
