import { arrayAt, stringAt } from '../apiserver/json';
import type { HookType } from '../../webhook/registration/webhook-configuration';
import type { ClusterUnderTest } from './cluster-under-test';

/** The path under which the API server calls, including the token. Among users, only administrators may read it. */
export async function registeredPath(cluster: Pick<ClusterUnderTest, 'admin'>, hook: HookType): Promise<string> {
  const plural = `${hook}webhookconfigurations`;
  const { body } = await cluster.admin.get(`/apis/admissionregistration.k8s.io/v1/${plural}/reroll`);
  const [first] = arrayAt(body, 'webhooks');
  const path = stringAt(first, 'clientConfig', 'service', 'path');
  if (path === undefined) throw new Error(`the first webhook of ${plural}/reroll has no path yet`);
  return path;
}
