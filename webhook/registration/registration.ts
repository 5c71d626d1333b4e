import type { KubeClient } from '../../shared/kube/client/client';
import { errorMessage } from '../../shared/domain/errors';
import { applyObject } from '../../shared/kube/client/objects';
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '../../shared/kube/resource';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import { BackgroundLoop } from '../../shared/runtime/process/background-loop';
import { retryUntilDone } from '../../shared/runtime/retry-until-done';
import type { Random } from '../../shared/runtime/random';
import type { WebhookSelection } from './selection';
import { webhookConfiguration, type HookType, type WebhookService } from './webhook-configuration';

/** Owns all fields except caBundles, which `reroll certs` or cert-manager set, and paths, which `reroll certs` sets. */
const fieldManager = 'reroll-webhook';

const resources = { validating: validatingWebhookConfigurations, mutating: mutatingWebhookConfigurations } as const;

const backoff = { baseMs: 1_000, maxMs: 60_000 };

export interface RegistrationOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly service: WebhookService;
  readonly types: readonly HookType[];
  /** Undefined for everything. */
  readonly selection?: WebhookSelection | undefined;
}

/** Registers the webhook with the API server if neither the chart nor the manifests do. */
export class Registration {
  readonly #options: RegistrationOptions;
  readonly #loop = new BackgroundLoop(async (signal) => await this.#registerAll(signal));

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop.start();
  }

  /** The configuration is kept: the other replicas serve it. */
  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** Never rejects: without a registration the watch still finds every change. */
  async #registerAll(signal: AbortSignal): Promise<void> {
    for (const type of this.#options.types) await this.#register(type, signal);
  }

  async #register(type: HookType, signal: AbortSignal): Promise<void> {
    const { client, clock, logger, random, service, selection } = this.#options;
    const configuration = webhookConfiguration(type, service, selection);
    const { name } = configuration.metadata;
    const register = async (): Promise<void> => {
      await applyObject(client, resources[type], undefined, name, configuration, { fieldManager, signal });
      logger.info('registered', { kind: configuration.kind, name });
    };
    await retryUntilDone(register, {
      ...{ clock, random, backoff, signal },
      onFailure: (error) => logger.warn('not registered, trying again', { type, name, error: errorMessage(error) }),
    });
  }
}
