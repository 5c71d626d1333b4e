import { valueOf, type Seen } from '../evidence/seen';
import type { Facts } from '../parts/facts';
import { ok, unknown, type Finding } from './finding';

/** What is found where no ready pod of the webhook is seen: only who may read the Deployments can tell that there should be none. */
export async function withoutPod(facts: Facts, pods: Seen<unknown>): Promise<Finding> {
  const [parts, registered] = await Promise.all([facts.parts(), facts.registered()]);
  const mayHaveDeployment = parts.is !== 'there' || parts.value.some(({ component }) => component === 'webhook');
  const isRegistered = (valueOf(registered) ?? []).length > 0;
  if (!mayHaveDeployment && !isRegistered) {
    const { rerollNamespace: namespace } = facts.options;
    // Where nothing of Reroll is, somebody may have named another namespace than that of the install.
    return registered.is === 'hidden' && (valueOf(parts) ?? []).length === 0
      ? unknown(`no Deployment of Reroll is in namespace ${namespace}, so it is not known whether there is a webhook`)
      : ok('there is no webhook');
  }
  return unknown(pods.is === 'hidden' ? pods.right : 'no pod of the webhook is ready');
}
