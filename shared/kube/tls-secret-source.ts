import { objectOf, textOf } from '../domain/json-value';
import { MalformedObjectError } from '../domain/malformed-object-error';
import { objectKey, type ObjectKey } from '../domain/object-key';
import type { TlsMaterial, TlsMaterialSource } from '../runtime/tls-material';
import { TlsMaterialSlot } from '../runtime/tls-material-slot';
import type { Decoder } from './decoder';
import { identityOf, metadataFromJson, requireIdentity } from './object-metadata';
import { Reflector, type ReflectorDeps, type ReflectorStatus } from './reflector';
import { secrets } from './resource';

/** The Secret with all certificates that Reroll makes itself. */
export const certificatesSecretName = 'reroll-certs';

export interface TlsSecretSourceOptions {
  readonly namespace: string;
  readonly secretName: string;
  /** Which of its certificates: `<leaf>.crt` and `<leaf>.key`, beside `ca.crt`. */
  readonly leaf: string;
}

/** TLS material out of one Secret that is watched: in use within moments of its being written. */
export class TlsSecretSource implements TlsMaterialSource {
  readonly #reflector: Reflector<TlsMaterial>;
  readonly #slot: TlsMaterialSlot;
  readonly #key: ObjectKey;
  #known = false;

  constructor(deps: ReflectorDeps, { namespace, secretName, leaf }: TlsSecretSourceOptions) {
    this.#key = objectKey(namespace, secretName);
    this.#slot = new TlsMaterialSlot(deps.logger.child({ secret: this.#key, certificate: leaf }));
    this.#reflector = new Reflector(deps, {
      resource: secrets,
      namespace,
      // With a selector for the name, a Role may be restricted to that name.
      fieldSelector: `metadata.name=${secretName}`,
      decoder: tlsSecretDecoder(leaf),
      sink: {
        upsert: (material) => {
          this.#known = true;
          this.#slot.offer(material);
        },
        remove: () => {
          this.#known = false;
          this.#slot.refuse('the Secret was deleted');
        },
        keys: () => (this.#known ? [this.#key] : []),
        synced: () => {
          if (!this.#known)
            this.#slot.refuse('there is none that is complete: `reroll certs` makes it; see --certs-secret');
        },
      },
    });
  }

  /** Of the watch: for readiness and to name a right that is missing. */
  get status(): ReflectorStatus {
    return this.#reflector.status;
  }

  current(): TlsMaterial | undefined {
    return this.#slot.current();
  }

  onChange(listener: () => void): void {
    this.#slot.onChange(listener);
  }

  start(): void {
    this.#reflector.start();
  }

  async stop(): Promise<void> {
    await this.#reflector.stop();
  }
}

function tlsSecretDecoder(leaf: string): Decoder<TlsMaterial> {
  return {
    accepts: 'json',
    fromJson(object) {
      const metadata = metadataFromJson(object);
      requireIdentity(metadata);
      const { namespace, name, uid, resourceVersion } = metadata;
      const data = objectOf(objectOf(object)['data']);
      const text = (key: string): string => {
        const value = textOf(data[key]);
        if (value !== undefined) return Buffer.from(value, 'base64').toString('utf8');
        throw new MalformedObjectError(`Secret ${namespace}/${name} has no key "${key}"`, identityOf(metadata));
      };
      const material = { cert: text(`${leaf}.crt`), key: text(`${leaf}.key`), ca: text('ca.crt') };
      return { key: objectKey(namespace, name), uid, resourceVersion, object: material };
    },
  };
}
