import { objectOf, textOf } from '../../domain/kubernetes/json-value';
import { objectKey, type ObjectKey } from '../../domain/kubernetes/object-key';
import type { Decoder } from '../wire/decoder';
import { metadataFromJson, requireIdentity } from '../wire/object-metadata';
import { Reflector, type ReflectorDeps, type ReflectorStatus } from '../list-watch/reflector';
import { secrets } from '../resource';

/** The values in a Secret's data as text, by key; missing and empty ones are omitted. */
export type SecretContent = ReadonlyMap<string, string>;

export interface WatchedSecretOptions {
  readonly namespace: string;
  readonly secretName: string;
  /** The keys of the Secret's data to read; the rest is dropped. */
  readonly keys: readonly string[];
  /** Called each time the Secret is written or listed; undefined: there is no such Secret. */
  readonly onContent: (content: SecretContent | undefined) => void;
}

/** Watches keys of one Secret; a change is known within moments. */
export class WatchedSecret {
  readonly #reflector: Reflector<SecretContent>;
  readonly #key: ObjectKey;
  #exists = false;

  constructor(deps: ReflectorDeps, { namespace, secretName, keys, onContent }: WatchedSecretOptions) {
    this.#key = objectKey(namespace, secretName);
    this.#reflector = new Reflector(deps, {
      resource: secrets,
      namespace,
      // The watch selects the name, so a Role may be restricted to that name.
      fieldSelector: `metadata.name=${secretName}`,
      decoder: contentDecoder(keys),
      sink: {
        upsert: (content) => {
          this.#exists = true;
          onContent(content);
        },
        remove: () => {
          this.#exists = false;
          onContent(undefined);
        },
        keys: () => (this.#exists ? [this.#key] : []),
        synced: () => {
          if (!this.#exists) onContent(undefined);
        },
      },
    });
  }

  /** `namespace/name`, for messages. */
  get key(): ObjectKey {
    return this.#key;
  }

  /** State of the watch, for readiness and to report a missing permission. */
  get status(): ReflectorStatus {
    return this.#reflector.status;
  }

  start(): void {
    this.#reflector.start();
  }

  async stop(): Promise<void> {
    await this.#reflector.stop();
  }
}

function contentDecoder(keys: readonly string[]): Decoder<SecretContent> {
  return {
    accepts: 'json',
    fromJson(object) {
      const metadata = metadataFromJson(object);
      requireIdentity(metadata);
      const { namespace, name, uid, resourceVersion } = metadata;
      const data = objectOf(objectOf(object)['data']);
      const content = new Map<string, string>();
      for (const key of keys) {
        const text = Buffer.from(textOf(data[key]) ?? '', 'base64').toString('utf8');
        if (text !== '') content.set(key, text);
      }
      return { key: objectKey(namespace, name), uid, resourceVersion, object: content };
    },
  };
}
