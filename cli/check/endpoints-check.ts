import { listOf, objectOf } from '../../shared/domain/kubernetes/json-value';
import { endpointSlices } from '../../shared/kube/resource';
import { valueOf } from '../evidence/seen';
import { counted } from '../output/text-style';
import { failed, ok, unknown, type Check } from './finding';

/** Behind the Service that API servers call there are pods that are ready. */
export const endpointsCheck: Check = {
  name: 'endpoints',
  look: async (facts) => {
    const webhook = await facts.part('webhook');
    if (valueOf(webhook)?.replicas === 0) return ok('there is no webhook');
    const { rerollNamespace: namespace } = facts.options;
    const service = await facts.webhookService();
    const seen = await facts.list(endpointSlices, namespace, `kubernetes.io/service-name=${service}`);
    if (seen.is === 'hidden') return unknown(seen.right);
    const slices = seen.is === 'there' ? seen.value : [];
    if (webhook.is !== 'there' && slices.length === 0) {
      const none = `there is no Service ${namespace}/${service}`;
      return webhook.is === 'absent'
        ? ok(none)
        : unknown(`${none}, and whether the webhook runs is not known: ${webhook.right}`);
    }
    const ready = slices.flatMap((slice) =>
      listOf(slice['endpoints']).filter((endpoint) => objectOf(objectOf(endpoint)['conditions'])['ready'] !== false),
    );
    if (ready.length > 0) return ok(`Service ${service} has ${counted(ready.length, 'ready endpoint')}`);
    return failed(
      `Service ${namespace}/${service} has no ready endpoint: the API server reaches no webhook`,
      `kubectl -n ${namespace} describe service ${service}; compare its selector with the labels of the pods, and see why they are not ready`,
    );
  },
};
