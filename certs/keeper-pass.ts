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
  /** Undefined: certificates are of others. */
  readonly authority: AuthorityPart | undefined;
  readonly tokens: TokenPart;
}

/** One look at everything, and what follows from it. */
export class KeeperPass {
  /** What could not be done, by part. */
  readonly failures = new Map<KeptPart, unknown>();
  /** Why the API server would not accept the webhook's certificate. */
  coverage: string | undefined;
  readonly #deps: KeeperPassDeps;
  readonly #names: CertificateNames;
  readonly #configurations: ConfigurationNames;
  readonly #limits: RequestLimits;
  /** Something was written, or somebody else was faster. */
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
   * True when nothing is left to do or nothing more can be done.
   *
   * The order of the reads matters. A keeper that was held up between reading the Secret of the CA and injecting could put
   * an old bundle over a new one, after which the next CA would sign without being trusted. So registrations and published
   * Secret, which are written from it, are read first, and written only if they are still what was read: had the Secret
   * of the CA moved on before our read of it, we would know; had it moved on since, the injection that follows it makes
   * ours a conflict. With the Secret of the tokens and the paths of the registrations it is the same.
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
    // Trusted first, served then.
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
      if (isAsWanted(configuration, wanted)) continue;
      await this.#attempt('registration', async () => {
        await applyWanted(client, configuration, wanted, { ...this.#limits, caBundles: authority !== undefined });
        this.#again = true;
        const { kind, name } = configuration;
        logger.info('caBundle and path written', { kind, configuration: name });
      });
    }
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

  /** Undefined where it failed, or where another was faster, which is no failure. */
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
