import {
  decodeTokens,
  isKnownToken,
  webhookTokenKey,
  webhookTokenSecretName,
  type WebhookToken,
} from '../../shared/domain/protocol/webhook-token';
import { errorMessage } from '../../shared/domain/errors';
import type { ReflectorDeps } from '../../shared/kube/list-watch/reflector';
import { WatchedSecret, type SecretContent } from '../../shared/kube/secrets/watched-secret';
import { FaultWarning } from '../../shared/runtime/log/fault-warning';
import type { Logger } from '../../shared/runtime/log/logger';

/** Decides who may call: whoever sends a known token. */
export interface TokenAuthenticator {
  isKnown(token: string): boolean;
  /** Why no call is accepted; undefined if some are. */
  readonly problem: string | undefined;
}

/** The current tokens that `reroll certs` keeps in a Secret. */
export class WebhookTokens implements TokenAuthenticator {
  readonly #logger: Logger;
  readonly #secret: WatchedSecret;
  /** Not repeated with each relist. */
  readonly #warning: FaultWarning;
  #tokens: readonly WebhookToken[] = [];

  constructor(deps: ReflectorDeps, namespace: string) {
    this.#secret = new WatchedSecret(deps, {
      ...{ namespace, secretName: webhookTokenSecretName, keys: [webhookTokenKey] },
      onContent: (content) => this.#take(content),
    });
    this.#logger = deps.logger.child({ secret: this.#secret.key });
    this.#warning = new FaultWarning(this.#logger);
  }

  isKnown(token: string): boolean {
    return isKnownToken(token, this.#tokens);
  }

  get problem(): string | undefined {
    if (this.#tokens.length > 0) return undefined;
    return `there is no token yet: reroll certs puts it into Secret ${this.#secret.key}`;
  }

  start(): void {
    this.#secret.start();
  }

  async stop(): Promise<void> {
    await this.#secret.stop();
  }

  #take(content: SecretContent | undefined): void {
    const text = content?.get(webhookTokenKey);
    // Emptying or deleting the Secret revokes its tokens.
    if (text === undefined) {
      this.#tokens = [];
      this.#warn('no call is accepted: there is no token', this.problem);
      return;
    }
    try {
      this.#use(decodeTokens(text));
    } catch (thrown) {
      const consequence = this.#tokens.length > 0 ? 'the previous ones stay in use' : 'no call is accepted';
      this.#warn(`the tokens of callers cannot be read, ${consequence}`, errorMessage(thrown));
    }
  }

  #use(tokens: readonly WebhookToken[]): void {
    const isNew = JSON.stringify(tokens) !== JSON.stringify(this.#tokens);
    this.#tokens = tokens;
    this.#warning.ended();
    const newest = tokens.at(-1)?.sinceMs ?? 0;
    if (isNew) {
      this.#logger.info('tokens of callers loaded', { tokens: tokens.length, newest: new Date(newest).toISOString() });
    }
  }

  #warn(message: string, problem: string | undefined): void {
    this.#warning.warn(message, message, { problem });
  }
}
