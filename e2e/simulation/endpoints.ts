import { objectAt, type JsonObject } from '../apiserver/json';
import type { ApiServer } from '../apiserver/api-server';
import { writeBy } from '../apiserver/registry';
import { customKind } from '../apiserver/resources';
import { storeKey } from '../apiserver/store';
import { ownNamespace } from '../engine-settings';

export const endpointSliceKind = customKind({
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  generation: 'never',
});

const name = 'reroll-channel-1';
const context = writeBy(
  'system:serviceaccount:kube-system:endpointslice-controller',
  'kube-controller-manager',
  'update',
);

/** Publishes the addresses, as the EndpointSlice controller does for the channel's Service. */
export async function publish(server: ApiServer, addresses: readonly string[]): Promise<void> {
  const [, port = '0'] = addresses[0]?.split(':') ?? [];
  const fields: JsonObject = {
    addressType: 'IPv4',
    ports: [{ port: Number(port) }],
    endpoints: addresses.map((address) => ({
      addresses: [address.split(':')[0] ?? ''],
      conditions: { ready: true },
      targetRef: { uid: address },
    })),
  };
  const metadata = { name, namespace: ownNamespace, labels: { 'kubernetes.io/service-name': 'reroll-channel' } };
  if (server.store.get(endpointSliceKind, storeKey(ownNamespace, name)) === undefined) {
    await server.registry.create(context, endpointSliceKind, ownNamespace, { metadata, ...fields });
    return;
  }
  await server.registry.update(context, endpointSliceKind, ownNamespace, name, (current) => ({
    object: { ...current, ...fields, metadata: objectAt(current, 'metadata') },
  }));
}
