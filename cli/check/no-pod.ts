import { valueOf, type Seen } from '../evidence/seen';
import type { Facts } from '../parts/facts';
import { ok, unknown, type Finding } from './finding';

/** What is found where no ready pod of the webhook is seen: only who may read the Deployments can tell that there should be none. */
export async function withoutPod(facts: Facts, pods: Seen<unknown>): Promise<Finding> {
  const parts = await facts.parts();
  const mayHaveDeployment = parts.is !== 'there' || parts.value.some(({ component }) => component === 'webhook');
  const isRegistered = (valueOf(await facts.registered()) ?? []).length > 0;
  if (!mayHaveDeployment && !isRegistered) return ok('there is no webhook');
  return unknown(pods.is === 'hidden' ? pods.right : 'no pod of the webhook is ready');
}
