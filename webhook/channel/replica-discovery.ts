import { fieldAt, listOf, objectOf, textOf } from '../../shared/domain/kubernetes/json-value';
import { objectKey, type ObjectKey } from '../../shared/domain/kubernetes/object-key';
import type { Decoder } from '../../shared/kube/wire/decoder';
import { metadataFromJson, requireIdentity } from '../../shared/kube/wire/object-metadata';
import { Reflector, type ReflectorDeps } from '../../shared/kube/list-watch/reflector';
import { endpointSlices } from '../../shared/kube/resource';

export interface ReplicaDiscoveryOptions extends ReflectorDeps {
  readonly namespace: string;
  /** The Service of the reconcilers' channel; it has one port. */
  readonly service: string;
  /** Receives the `ip:port` of every replica that accepts records, whenever they may have changed. */
  readonly onReplicas: (addresses: ReadonlySet<string>) => void;
}

/** The addresses of the pods in one EndpointSlice. */
interface Slice {
  readonly key: ObjectKey;
  /** By pod uid: a pod behind a dual-stack Service is in two slices, and must not get every record twice. */
  readonly addresses: ReadonlyMap<string, string>;
}

/** Discovers the replicas of the reconciler from the EndpointSlices of their Service. */
export class ReplicaDiscovery {
  readonly #slices = new Map<ObjectKey, Slice>();
  readonly #reflector: Reflector<Slice>;
  readonly #onReplicas: ReplicaDiscoveryOptions['onReplicas'];

  constructor({ namespace, service, onReplicas, ...deps }: ReplicaDiscoveryOptions) {
    this.#onReplicas = onReplicas;
    this.#reflector = new Reflector(deps, {
      resource: endpointSlices,
      namespace,
      labelSelector: `kubernetes.io/service-name=${service}`,
      decoder: sliceDecoder,
      sink: {
        upsert: (slice) => {
          this.#slices.set(slice.key, slice);
          this.#report();
        },
        remove: (key) => {
          this.#slices.delete(key);
          this.#report();
        },
        keys: () => this.#slices.keys(),
        synced: () => undefined,
      },
    });
  }

  start(): void {
    this.#reflector.start();
  }

  async stop(): Promise<void> {
    await this.#reflector.stop();
  }

  #report(): void {
    const pods = new Map<string, string>();
    for (const { addresses } of this.#slices.values()) {
      for (const [pod, address] of addresses) if (!pods.has(pod)) pods.set(pod, address);
    }
    this.#onReplicas(new Set(pods.values()));
  }
}

const sliceDecoder: Decoder<Slice> = {
  accepts: 'json',
  fromJson: (object) => {
    const metadata = metadataFromJson(object);
    requireIdentity(metadata);
    const { name, namespace, uid, resourceVersion } = metadata;
    const key = objectKey(namespace, name);
    return { key, uid, resourceVersion, object: { key, addresses: addressesOf(object) } };
  },
};

function addressesOf(slice: unknown): ReadonlyMap<string, string> {
  const { addressType, ports, endpoints } = objectOf(slice);
  const port = objectOf(listOf(ports)[0])['port'];
  const addresses = new Map<string, string>();
  if (typeof port !== 'number') return addresses;
  for (const endpoint of listOf(endpoints)) {
    const ip = textOf(listOf(objectOf(endpoint)['addresses'])[0]);
    if (ip === undefined || !canBeSentTo(endpoint)) continue;
    const pod = textOf(fieldAt(endpoint, ['targetRef', 'uid'])) ?? ip;
    addresses.set(pod, addressType === 'IPv6' ? `[${ip}]:${port}` : `${ip}:${port}`);
  }
  return addresses;
}

/** A condition that is not set counts as true (`discovery.k8s.io/v1`, EndpointConditions). */
function canBeSentTo(endpoint: unknown): boolean {
  const { ready, serving } = objectOf(objectOf(endpoint)['conditions']);
  return ready !== false && serving !== false;
}
