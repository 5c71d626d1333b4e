import { objectKey } from '../../domain/kubernetes/object-key';
import type { TlsMaterial, TlsMaterialSource } from '../../runtime/tls/tls-material';
import { MaterialSlot } from '../../runtime/tls/material-slot';
import { tlsMaterialKind } from '../../runtime/tls/tls-material-kind';
import type { ReflectorDeps, ReflectorStatus } from '../list-watch/reflector';
import { WatchedSecret, type SecretContent } from './watched-secret';

/** The Secret with all certificates that Reroll issues itself. */
export const certificatesSecretName = 'reroll-certs';

export interface TlsSecretSourceOptions {
  readonly namespace: string;
  readonly secretName: string;
  /** The certificate to use: `<leaf>.crt` and `<leaf>.key`, beside `ca.crt`. */
  readonly leaf: string;
}

/** TLS material from one watched Secret; a new certificate is in use moments after it is written. */
export class TlsSecretSource implements TlsMaterialSource {
  readonly #secret: WatchedSecret;
  readonly #slot: MaterialSlot<TlsMaterial>;
  readonly #keys: readonly [cert: string, key: string, ca: string];

  constructor(deps: ReflectorDeps, { namespace, secretName, leaf }: TlsSecretSourceOptions) {
    this.#keys = [`${leaf}.crt`, `${leaf}.key`, 'ca.crt'];
    const secret = objectKey(namespace, secretName);
    this.#slot = new MaterialSlot(deps.logger.child({ secret, certificate: leaf }), tlsMaterialKind);
    const onContent = (content: SecretContent | undefined): void => this.#take(content);
    this.#secret = new WatchedSecret(deps, { namespace, secretName, keys: this.#keys, onContent });
  }

  /** State of the watch, for readiness and to report a missing permission. */
  get status(): ReflectorStatus {
    return this.#secret.status;
  }

  current(): TlsMaterial | undefined {
    return this.#slot.current();
  }

  onChange(listener: () => void): void {
    this.#slot.onChange(listener);
  }

  start(): void {
    this.#secret.start();
  }

  async stop(): Promise<void> {
    await this.#secret.stop();
  }

  #take(content: SecretContent | undefined): void {
    if (content === undefined && this.#slot.current()) {
      this.#slot.refuse('the Secret was deleted');
      return;
    }
    // The Secret may have been created empty, for `reroll certs` to fill.
    if (content === undefined || content.size === 0) {
      this.#slot.refuse('there is no complete one: `reroll certs` creates it; see --certs-secret');
      return;
    }
    const [cert = '', key = '', ca = ''] = this.#keys.map((name) => content.get(name));
    const missing = this.#keys.find((name) => !content.has(name));
    if (missing === undefined) this.#slot.offer({ cert, key, ca });
    else this.#slot.refuse(`Secret ${this.#secret.key} has no key "${missing}"`);
  }
}
