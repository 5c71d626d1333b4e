import type { KubeClient } from '../shared/kube/client/client';
import { ConflictError } from '../shared/kube/errors';
import type { KubeObject, RequestLimits } from '../shared/kube/client/objects';
import { certificatesSecretName } from '../shared/kube/secrets/tls-secret-source';
import type { Clock } from '../shared/runtime/clock';
import type { Logger } from '../shared/runtime/log/logger';
import type { AuthorityPart } from './authority-part';
import { webhookHost, type CertificateNames } from './certificate-names';
import { coverageProblem } from './coverage';
import { readSecret, writeSecret } from './kept-secret';
import { bundleOf, type Material } from './material';
import type { CertsMetrics, KeptPart } from './metrics';
import { encodePublished, isPublished } from './published-data';
import type { KeptTokens, TokenPart } from './token-part';
import {
  applyWanted,
  disown,
  isAsWanted,
  readConfigurations,
  type ConfigurationNames,
  type LiveConfiguration,
  type Wanted,
} from './webhook-configurations';

export interface KeeperPassDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: CertsMetrics;
  /** Undefined if others manage the certificates. */
  readonly authority: AuthorityPart | undefined;
  readonly tokens: TokenPart;
}

/** Reads everything once, and takes the next step. */
export class KeeperPass {
  readonly failures = new Map<KeptPart, unknown>();
  /** Why the API server would not accept the webhook's certificate. */
  coverage: string | undefined;
  readonly #deps: KeeperPassDeps;
  readonly #names: CertificateNames;
  readonly #configurations: ConfigurationNames;
  readonly #limits: RequestLimits;
  /** This pass wrote something, or another keeper wrote first. */
  #again = false;

  constructor(
    deps: KeeperPassDeps,
    names: CertificateNames,
    configurations: ConfigurationNames,
    signal: AbortSignal | undefined,
  ) {
    this.#deps = deps;
    this.#names = names;
    this.#configurations = configurations;
    this.#limits = signal ? { signal } : {};
  }

  /**
   * True if nothing is left to do, or nothing more can be done.
   *
   * The order of the reads matters. A keeper that is delayed between reading the Secret of the CA and injecting could
   * overwrite a new bundle with an old one; then the next CA would sign without being trusted. Registrations and the
   * published Secret depend on the Secret of the CA, so they are read first and written only if they are unchanged. If
   * the Secret of the CA changes before it is read, this keeper sees the change; if it changes later, the injection
   * that follows causes a conflict here. The same holds for the Secret of the tokens and the paths of the
   * registrations.
   */
  async run(): Promise<boolean> {
    const { client, authority, tokens } = this.#deps;
    const names = this.#names;
    const live = await this.#attempt(
      'registration',
      async () => await readConfigurations(client, this.#configurations, names, this.#limits),
    );
    const webhooks = live?.flatMap((configuration) => configuration.webhooks);
    const published = await this.#published();
    const caBundles = webhooks?.map(({ caBundle }) => caBundle);
    const kept =
      authority &&
      (await this.#attempt('secret', async () => await authority.keep({ caBundles, published }, this.#limits)));
    const named = webhooks?.map(({ token }) => token);
    const keptTokens = await this.#attempt('token', async () => await tokens.keep(named, this.#limits));
    if (kept?.changed === true || keptTokens?.changed === true) this.#again = true;
    if (keptTokens) this.#measureTokens(keptTokens, named);
    if (kept) this.#measureCertificates(kept.material, caBundles);
    // API servers must trust a CA before a replica serves its certificate.
    await this.#apply(live ?? [], { caBundle: kept && bundleOf(kept.material), token: keptTokens?.toName });
    if (kept && published) await this.#publish(kept.material, published);
    return !this.#again;
  }

  async #published(): Promise<KubeObject | undefined> {
    const { client, authority } = this.#deps;
    if (!authority) return undefined;
    const read = async (): Promise<KubeObject> =>
      await readSecret(client, this.#names.namespace, certificatesSecretName, this.#limits);
    return await this.#attempt('published', read);
  }

  async #apply(live: readonly LiveConfiguration[], wanted: Wanted): Promise<void> {
    const { client, logger, authority } = this.#deps;
    for (const configuration of live) {
      if (isAsWanted(configuration, wanted)) {
        await this.#disown(configuration);
        continue;
      }
      await this.#attempt('registration', async () => {
        await applyWanted(client, configuration, wanted, { ...this.#limits, caBundles: authority !== undefined });
        this.#again = true;
        const { kind, name } = configuration;
        logger.info('caBundle and path written', { kind, configuration: name });
      });
    }
  }

  async #disown(configuration: LiveConfiguration): Promise<void> {
    if (configuration.foreignFields === undefined) return;
    // Not read back: nothing depends on it.
    await this.#attempt('registration', async () => await disown(this.#deps.client, configuration, this.#limits));
  }

  async #publish(material: Material, published: KubeObject): Promise<void> {
    if (isPublished(material, published['data'])) return;
    await this.#attempt('published', async () => {
      const data = encodePublished(material, published['data']);
      await writeSecret(this.#deps.client, published, data, this.#limits);
      this.#again = true;
      this.#deps.logger.info('certificates published', { secret: certificatesSecretName });
    });
  }

  /** Undefined if it failed, or if another keeper wrote first, which is not a failure. */
  async #attempt<T>(part: KeptPart, act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act();
    } catch (thrown) {
      if (thrown instanceof ConflictError) this.#again = true;
      else this.failures.set(part, thrown);
      return undefined;
    }
  }

  #measureTokens({ accepted }: KeptTokens, named: readonly (string | undefined)[] | undefined): void {
    const isRegistered = named?.every((token) => token !== undefined && accepted.has(token)) === true;
    this.#deps.metrics.tokens.registered.set(isRegistered ? 1 : 0);
  }

  #measureCertificates({ generation, ca, leaves }: Material, caBundles: readonly string[] | undefined): void {
    const { metrics, clock } = this.#deps;
    const host = webhookHost(this.#names);
    this.coverage = caBundles
      ? caBundles
          .map((caBundle) => coverageProblem(leaves.webhook.cert, caBundle, host, clock.nowMs()))
          .find((problem) => problem !== undefined)
      : 'the live caBundle cannot be read';
    metrics.certificates?.generation.set(generation);
    for (const [certificate, { notAfterMs }] of Object.entries({ ca, ...leaves })) {
      metrics.certificates?.notAfterSeconds.set({ certificate }, notAfterMs / 1000);
    }
    metrics.certificates?.covered.set(this.coverage === undefined ? 1 : 0);
  }
}
