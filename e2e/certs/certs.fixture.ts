import { preparedKeyPairs, names } from '../../certs/issuing.fixture';
import { Keeper, type KeeperSettings } from '../../certs/keeper';
import { authoritySecretName, type KeptSecretName } from '../../certs/kept-secret';
import { CertsMetrics } from '../../certs/metrics';
import { decodeMaterial, type StoredMaterial } from '../../certs/secret-data';
import { decodeTokenState, type StoredTokens } from '../../certs/token-data';
import { fieldAt, listOf } from '../../shared/domain/kubernetes/json-value';
import { webhookTokenSecretName } from '../../shared/domain/protocol/webhook-token';
import { KubeClient } from '../../shared/kube/client/client';
import { staticCredentials } from '../../shared/kube/access/credentials';
import { deleteObject, getObject, patchObject, type KubeObject } from '../../shared/kube/client/objects';
import { mutatingWebhookConfigurations, secrets, validatingWebhookConfigurations } from '../../shared/kube/resource';
import { certificatesSecretName } from '../../shared/kube/secrets/tls-secret-source';
import type { Transport } from '../../shared/kube/transport';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { MetricRegistry } from '../../shared/runtime/metric-registry';
import { RecordingLogger, type LogLine } from '../../shared/runtime/log/recording-logger';
import { ApiServer } from '../apiserver/api-server';
import { seed, seedNamespace } from '../apiserver/cluster';
import { Faults } from '../apiserver/faults';
import { inProcessTransport } from '../apiserver/in-process-transport';
import type { JsonObject } from '../apiserver/json';
import { customKind } from '../apiserver/resources';
import { seededRandom } from '../apiserver/seeded-random';
import { shippedSecrets } from '../shipped-secrets';

/** A keeper, with its log lines and metrics. */
export interface RunningKeeper {
  readonly keeper: Keeper;
  readonly lines: readonly LogLine[];
  readonly registry: MetricRegistry;
}

const keyPairs = preparedKeyPairs(7);

const hourMs = 3_600_000;

const defaults: KeeperSettings = {
  names,
  configurations: { validating: 'reroll', mutating: 'reroll' },
  lifetimes: { caLifeMs: 365 * 24 * hourMs, leafLifeMs: 30 * 24 * hourMs },
  tokenLifeMs: 30 * 24 * hourMs,
};

type Hook = 'Validating' | 'Mutating';

const configurationKinds = ['Validating', 'Mutating'].map((prefix) =>
  customKind({
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind: `${prefix}WebhookConfiguration`,
    plural: `${prefix.toLowerCase()}webhookconfigurations`,
    namespaced: false,
  }),
);

/** Keepers against a simulated API server, with the Secrets of an install. */
export class CertsWorld {
  readonly clock = new FakeClock();
  readonly server = new ApiServer({
    clock: this.clock,
    random: seededRandom(1),
    // The simulated server has no webhook configurations of its own.
    customKinds: configurationKinds,
  });
  readonly faults = new Faults(this.clock);
  readonly admin = this.#client(inProcessTransport(this.server, 'admin'));
  #keepers = 0;

  constructor() {
    seedNamespace(this.server, names.namespace);
    seed(this.server, ...shippedSecrets());
  }

  /** Registers Reroll's webhook between two foreign webhooks. */
  register(hook: Hook = 'Validating'): void {
    const webhook = (name: string, service: object): JsonObject => ({
      name,
      clientConfig: { service: { namespace: names.namespace, ...service } },
      failurePolicy: 'Ignore',
    });
    const other = { name: 'other', path: '/validate' };
    seed(this.server, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${hook}WebhookConfiguration`,
      metadata: { name: 'reroll' },
      webhooks: [
        webhook('a.other', other),
        webhook('b.reroll.dev', { name: names.webhookService, port: 443 }),
        webhook('c.other', other),
      ],
    });
  }

  keeper(settings: Partial<KeeperSettings> = {}, transport?: (real: Transport) => Transport): RunningKeeper {
    const index = this.#keepers++;
    const logger = new RecordingLogger();
    const registry = new MetricRegistry();
    const all = { ...defaults, ...settings };
    const real = inProcessTransport(this.server, `keeper-${String(index)}`, this.faults);
    const deps = {
      client: this.#client(transport ? transport(real) : real),
      clock: this.clock,
      random: seededRandom(index + 7),
      logger,
      metrics: new CertsMetrics(registry, { certificates: all.lifetimes !== undefined }),
      keyPairs,
    };
    return { keeper: new Keeper(deps, all), lines: logger.lines, registry };
  }

  async secret(name: KeptSecretName): Promise<KubeObject> {
    return await getObject(this.admin, secrets, names.namespace, name);
  }

  /** The decoded content of the CA Secret. */
  async material(): Promise<StoredMaterial> {
    return decodeMaterial((await this.secret(authoritySecretName))['data'], names);
  }

  /** The decoded content of the token Secret. */
  async tokens(): Promise<StoredTokens> {
    return decodeTokenState((await this.secret(webhookTokenSecretName))['data']);
  }

  /** The text under a key of the published Secret; undefined if there is none. */
  async published(key: string): Promise<string | undefined> {
    const value = fieldAt(await this.secret(certificatesSecretName), ['data', key]);
    return typeof value === 'string' ? Buffer.from(value, 'base64').toString() : undefined;
  }

  /** The caBundle of each webhook of the registration, in order; undefined if it has none. */
  async caBundles(): Promise<readonly (string | undefined)[]> {
    const object = await getObject(this.admin, validatingWebhookConfigurations, undefined, 'reroll');
    return caBundlesOf(object);
  }

  /** The path of each webhook of a registration, in order; undefined if it has none. */
  async paths(hook: Hook = 'Validating'): Promise<readonly (string | undefined)[]> {
    const resource = hook === 'Validating' ? validatingWebhookConfigurations : mutatingWebhookConfigurations;
    const object = await getObject(this.admin, resource, undefined, 'reroll');
    return listOf(fieldAt(object, ['webhooks'])).map((webhook) => {
      const path = fieldAt(webhook, ['clientConfig', 'service', 'path']);
      return typeof path === 'string' ? path : undefined;
    });
  }

  /** Overwrites the caBundle like a user with kubectl. */
  async overwriteCaBundle(text: string): Promise<void> {
    await this.#overwrite('caBundle', Buffer.from(text).toString('base64'));
  }

  async overwritePath(path: string): Promise<void> {
    await this.#overwrite('service/path', path);
  }

  async #overwrite(field: string, value: string): Promise<void> {
    await this.admin.request({
      method: 'PATCH',
      path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/reroll',
      contentType: 'application/json-patch+json',
      body: [{ op: 'add', path: `/webhooks/1/clientConfig/${field}`, value }],
    });
  }

  /** Patches like `kubectl patch --type=merge`; null as `data` removes all data. */
  async patchSecret(name: KeptSecretName, data: Readonly<Record<string, unknown>> | null): Promise<void> {
    await patchObject(this.admin, secrets, names.namespace, name, { data }, { type: 'merge' });
  }

  async deleteSecret(name: KeptSecretName): Promise<void> {
    await deleteObject(this.admin, secrets, names.namespace, name, { propagationPolicy: 'Background' });
  }

  /** Recreates a Secret like `helm upgrade` or `kubectl apply` does. */
  restoreSecret(name: KeptSecretName): void {
    seed(this.server, ...shippedSecrets().filter(({ metadata }) => metadata.name === name));
  }

  /** All writes of keepers so far, such as `update secrets/reroll-ca 200`. */
  writes(): readonly string[] {
    return this.server
      .requests()
      .filter(({ user, verb }) => user.startsWith('keeper') && !['get', 'list', 'watch'].includes(verb))
      .map(({ verb, resource, name, code }) => `${verb} ${resource.split('.')[0] ?? ''}/${name} ${String(code)}`);
  }

  #client(transport: Transport): KubeClient {
    const credentials = staticCredentials({ authorization: 'Bearer t' });
    const logger = new RecordingLogger();
    return new KubeClient({ transport, credentials, clock: this.clock, logger, userAgent: 'reroll/test' });
  }
}

/** The caBundle of each webhook of a registration, as text; undefined if it has none. */
export function caBundlesOf(configuration: object): readonly (string | undefined)[] {
  return listOf(fieldAt(configuration, ['webhooks'])).map((webhook) => {
    const caBundle = fieldAt(webhook, ['clientConfig', 'caBundle']);
    return typeof caBundle === 'string' ? Buffer.from(caBundle, 'base64').toString() : undefined;
  });
}
