import { CertificateKeeper, type CertificateSettings } from '../../certs/certificate-keeper';
import { preparedKeyPairs, names } from '../../certs/issuing.fixture';
import { CertificateMetrics } from '../../certs/metrics';
import { decodeMaterial, nothingStored, type StoredMaterial } from '../../certs/secret-data';
import { fieldAt, listOf } from '../../shared/domain/json-value';
import { KubeClient } from '../../shared/kube/client';
import { staticCredentials } from '../../shared/kube/credentials';
import { undefinedIfNotFound } from '../../shared/kube/errors';
import { getObject, patchObject, type KubeObject } from '../../shared/kube/objects';
import { secrets, validatingWebhookConfigurations } from '../../shared/kube/resource';
import { certificatesSecretName } from '../../shared/kube/tls-secret-source';
import type { Transport } from '../../shared/kube/transport';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { MetricRegistry } from '../../shared/runtime/metric-registry';
import { RecordingLogger, type LogLine } from '../../shared/runtime/recording-logger';
import { ApiServer } from '../apiserver/api-server';
import { seed, seedNamespace } from '../apiserver/cluster';
import { Faults } from '../apiserver/faults';
import { inProcessTransport } from '../apiserver/in-process-transport';
import type { JsonObject } from '../apiserver/json';
import { customKind } from '../apiserver/resources';
import { seededRandom } from '../apiserver/seeded-random';

/** A keeper, and what it said. */
export interface RunningKeeper {
  readonly keeper: CertificateKeeper;
  readonly lines: readonly LogLine[];
  readonly registry: MetricRegistry;
}

const keyPairs = preparedKeyPairs(7);

const defaults: CertificateSettings = {
  names,
  configurations: { validating: 'reroll', mutating: 'reroll' },
  lives: { caLifeMs: 365 * 24 * 3_600_000, leafLifeMs: 30 * 24 * 3_600_000 },
};

const configurationKinds = ['Validating', 'Mutating'].map((prefix) =>
  customKind({
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind: `${prefix}WebhookConfiguration`,
    plural: `${prefix.toLowerCase()}webhookconfigurations`,
    namespaced: false,
  }),
);

/** Keepers of certificates against a simulated API server. */
export class CertsWorld {
  readonly clock = new FakeClock();
  readonly server = new ApiServer({
    clock: this.clock,
    random: seededRandom(1),
    // Their own kinds, until the server has them.
    customKinds: configurationKinds,
  });
  readonly faults = new Faults(this.clock);
  readonly admin = this.#client(inProcessTransport(this.server, 'admin'));
  #keepers = 0;

  constructor() {
    seedNamespace(this.server, names.namespace);
  }

  /** Registers a webhook of ours between two of others. */
  register(kind: 'Validating' | 'Mutating' = 'Validating'): void {
    const webhook = (name: string, service: string): JsonObject => ({
      name,
      clientConfig: { service: { name: service, namespace: names.namespace, path: '/validate' } },
      failurePolicy: 'Ignore',
    });
    seed(this.server, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}WebhookConfiguration`,
      metadata: { name: 'reroll' },
      webhooks: [
        webhook('a.other', 'other'),
        webhook('b.reroll.dev', names.webhookService),
        webhook('c.other', 'other'),
      ],
    });
  }

  keeper(settings: Partial<CertificateSettings> = {}, transport?: (real: Transport) => Transport): RunningKeeper {
    const index = this.#keepers++;
    const logger = new RecordingLogger();
    const registry = new MetricRegistry();
    const real = inProcessTransport(this.server, `keeper-${String(index)}`, this.faults);
    const deps = {
      client: this.#client(transport ? transport(real) : real),
      clock: this.clock,
      random: seededRandom(index + 7),
      logger,
      metrics: new CertificateMetrics(registry),
      keyPairs,
    };
    return { keeper: new CertificateKeeper(deps, { ...defaults, ...settings }), lines: logger.lines, registry };
  }

  async secret(): Promise<KubeObject | undefined> {
    return await getObject(this.admin, secrets, names.namespace, certificatesSecretName).catch(undefinedIfNotFound);
  }

  async material(): Promise<StoredMaterial> {
    const secret = await this.secret();
    return secret ? decodeMaterial(secret['data'], names) : nothingStored;
  }

  /** The caBundles of all webhooks of the registration, in order; undefined for none. */
  async caBundles(): Promise<readonly (string | undefined)[]> {
    const object = await getObject(this.admin, validatingWebhookConfigurations, undefined, 'reroll');
    return caBundlesOf(object);
  }

  /** As somebody with kubectl. */
  async overwriteCaBundle(text: string): Promise<void> {
    const patch = [
      { op: 'add', path: '/webhooks/1/clientConfig/caBundle', value: Buffer.from(text).toString('base64') },
    ];
    await patchObject(this.admin, validatingWebhookConfigurations, undefined, 'reroll', patch, { type: 'json' });
  }

  async damageSecret(data: Readonly<Record<string, string | null>>): Promise<void> {
    await patchObject(this.admin, secrets, names.namespace, certificatesSecretName, { data }, { type: 'merge' });
  }

  /** Writes of keepers since the start. */
  writes(): readonly string[] {
    return this.server
      .requests()
      .filter(({ user, verb }) => user.startsWith('keeper') && !['get', 'list', 'watch'].includes(verb))
      .map(({ verb, resource, code }) => `${verb} ${resource} ${String(code)}`);
  }

  #client(transport: Transport): KubeClient {
    const credentials = staticCredentials({ authorization: 'Bearer t' });
    const logger = new RecordingLogger();
    return new KubeClient({ transport, credentials, clock: this.clock, logger, userAgent: 'reroll/test' });
  }
}

/** Of each webhook of a registration, as text; undefined for none. */
export function caBundlesOf(configuration: object): readonly (string | undefined)[] {
  return listOf(fieldAt(configuration, ['webhooks'])).map((webhook) => {
    const caBundle = fieldAt(webhook, ['clientConfig', 'caBundle']);
    return typeof caBundle === 'string' ? Buffer.from(caBundle, 'base64').toString() : undefined;
  });
}
