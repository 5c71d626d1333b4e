import { RerollError, errorMessage } from '../shared/domain/errors';
import type { KubeClient } from '../shared/kube/client';
import { AlreadyExistsError, ConflictError, ConnectionError, undefinedIfNotFound } from '../shared/kube/errors';
import { createObject, getObject, updateObject, type KubeObject } from '../shared/kube/objects';
import { secrets } from '../shared/kube/resource';
import { certificatesSecretName } from '../shared/kube/tls-secret-source';
import { BackgroundLoop } from '../shared/runtime/background-loop';
import { sleep, type Clock } from '../shared/runtime/clock';
import type { Logger } from '../shared/runtime/logger';
import { backoffMs, type Random } from '../shared/runtime/random';
import { carryOut, type Lives } from './carry-out';
import { webhookHost, type CertificateNames } from './certificate-names';
import { coverageProblem } from './coverage';
import type { KeyPairs } from './key-pairs';
import { bundleOf, type Material } from './material';
import { keptParts, type CertificateMetrics, type KeptPart } from './metrics';
import { nextStep, type ChangingStep, type LiveBundles } from './rotation';
import { decodeMaterial, encodeMaterial, nothingStored, type StoredMaterial } from './secret-data';
import { readBundle } from './trusted-certificate';
import {
  injectBundle,
  readConfigurations,
  type ConfigurationNames,
  type LiveConfiguration,
} from './webhook-configurations';

export interface CertificateSettings {
  readonly names: CertificateNames;
  readonly configurations: ConfigurationNames;
  readonly lives: Lives;
}

export interface CertificateKeeperDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: CertificateMetrics;
  readonly keyPairs: KeyPairs;
}

export interface CertificateKeeperStatus {
  /** All that is owed has been done, at least once. */
  readonly kept: boolean;
  /** What keeps it from being so now. */
  readonly problem: string | undefined;
  /** Why the API server would not accept the webhook's certificate; undefined while it would. */
  readonly coverage: string | undefined;
}

/** Certificates could not be brought to where they should be; all that could be done was. */
export class CertificatesNotKeptError extends RerollError {
  constructor(problems: readonly string[], cause: unknown) {
    super(problems.join('; '), { code: 'CERTIFICATES_NOT_KEPT', retry: 'backoff', cause });
  }
}

/** Wall-clock time is looked at this often: a timer as long as a certificate's life would not survive a suspend. */
const tickMs = 60_000;
const retry = { baseMs: 1_000, maxMs: tickMs };

/** A first try and these, with `retry` between them. */
const onceRetries = 3;

/** Each pass that wrote is followed by one that reads back; a fight with others must end all the same. */
const maxPasses = 8;

const costs: Readonly<Record<KeptPart, string>> = {
  secret: 'until then no certificate is renewed, and the webhook is no longer called once its own has ended',
  ca_bundle:
    'until then the API server may not accept the webhook: changes are found by the watch alone, without their author',
};

/**
 * Keeps the Secret of certificates and the caBundles of the registrations as they should be. Any number of keepers may
 * run: each write names the version it was decided on, so the first one wins and the others read again.
 */
export class CertificateKeeper {
  readonly #deps: CertificateKeeperDeps;
  readonly #settings: CertificateSettings;
  readonly #loop = new BackgroundLoop(async (signal) => await this.#keepOn(signal));
  #status: CertificateKeeperStatus = { kept: false, problem: 'not looked yet', coverage: 'not looked yet' };

  constructor(deps: CertificateKeeperDeps, settings: CertificateSettings) {
    this.#deps = deps;
    this.#settings = settings;
  }

  get status(): CertificateKeeperStatus {
    return this.#status;
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /**
   * Does what is owed now; writes nothing when that is nothing.
   *
   * @throws CertificatesNotKeptError when a part could not be done.
   */
  async keep(signal?: AbortSignal): Promise<void> {
    const failures = new Map<KeptPart, unknown>();
    let settled = false;
    for (let pass = 1; !settled && pass <= maxPasses; pass += 1) {
      failures.clear();
      settled = await this.#pass(failures, signal);
    }
    if (signal?.aborted === true) return;
    if (!settled) failures.set('secret', new Error('others write the Secret or a caBundle again and again'));
    const failed = keptParts.filter((part) => failures.has(part));
    for (const part of failed) this.#deps.metrics.errorsTotal.inc({ part });
    const problems = failed.map((part) => `${errorMessage(failures.get(part))}; ${costs[part]}`);
    this.#status = { ...this.#status, kept: this.#status.kept || failed.length === 0, problem: problems[0] };
    if (problems.length > 0) throw new CertificatesNotKeptError(problems, failures.get(failed[0] ?? 'secret'));
  }

  /**
   * As {@link keep}, and a few times more where a connection breaks: whoever runs this once has no later, and a write that
   * got no answer may have been carried out.
   *
   * @throws CertificatesNotKeptError
   */
  async keepOnce(): Promise<void> {
    const { clock, random, logger } = this.#deps;
    for (let attempt = 0; ; attempt++) {
      try {
        await this.keep();
        return;
      } catch (thrown) {
        if (attempt === onceRetries || !isUnreachable(thrown)) throw thrown;
        logger.warn('certificates are not kept; trying again', { error: errorMessage(thrown) });
        await sleep(clock, backoffMs(random, attempt, retry));
      }
    }
  }

  async #keepOn(signal: AbortSignal): Promise<void> {
    const { clock, random, logger } = this.#deps;
    let reported: string | undefined;
    for (let attempt = 0; !signal.aborted;) {
      let delayMs = tickMs * (0.9 + 0.2 * random.float());
      try {
        await this.keep(signal);
        if (reported !== undefined) logger.info('certificates are kept again');
        reported = undefined;
        attempt = 0;
      } catch (thrown) {
        const message = errorMessage(thrown);
        if (message !== reported) logger.warn('certificates are not kept', { error: message });
        reported = message;
        delayMs = backoffMs(random, attempt++, retry);
      }
      await sleep(clock, delayMs, signal);
    }
  }

  /**
   * One look at everything and what follows from it; true when nothing is left to do or nothing more can be done.
   *
   * The order of the reads matters. A keeper that was held up between reading the Secret and injecting could put an old
   * bundle over a new one, after which the next CA would sign without being trusted. So the configurations are read
   * first, and written only if they are still what was read: had the Secret moved on before our read of it, we would
   * know; had it moved on since, the injection that follows it makes ours a conflict.
   */
  async #pass(failures: Map<KeptPart, unknown>, signal: AbortSignal | undefined): Promise<boolean> {
    const { client, clock } = this.#deps;
    const { names, configurations } = this.#settings;
    const limits = signal ? { signal } : {};
    const live = await readConfigurations(client, configurations, names, limits).catch((thrown: unknown) => {
      failures.set('ca_bundle', thrown);
      return undefined;
    });
    try {
      const secret = await getObject(client, secrets, names.namespace, certificatesSecretName, limits).catch(
        undefinedIfNotFound,
      );
      const stored = secret ? decodeMaterial(secret['data'], names) : nothingStored;
      const step = nextStep(stored, live && fingerprints(live), clock.nowMs());
      const changes = step.do !== 'nothing' && step.do !== 'wait';
      const material = changes ? await this.#write(step, secret, stored, signal) : step.material;
      this.#measure(material, live);
      if (!live) return !changes;
      const injected = await this.#inject(live, bundleOf(material), failures, signal);
      return !changes && !injected;
    } catch (thrown) {
      if (isOvertaken(thrown)) return false;
      failures.set('secret', thrown);
      return true;
    }
  }

  async #write(
    step: ChangingStep,
    secret: KubeObject | undefined,
    stored: StoredMaterial,
    signal: AbortSignal | undefined,
  ): Promise<Material> {
    const { client, clock, keyPairs, random, logger, metrics } = this.#deps;
    const { names, lives } = this.#settings;
    const limits = signal ? { signal } : {};
    const material = await carryOut(step, stored, { keyPairs, random, names, lives, nowMs: clock.nowMs() });
    const data = encodeMaterial(material, secret?.['data']);
    if (secret) {
      const { namespace } = names;
      await updateObject(client, secrets, namespace, certificatesSecretName, { ...secret, data }, limits);
    } else {
      const metadata = { name: certificatesSecretName, namespace: names.namespace };
      const body = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data };
      await createObject(client, secrets, names.namespace, body, limits);
    }
    const leaves = Object.entries(material.leaves).filter(
      ([leaf, { fingerprint }]) => stored.leaves[leaf as keyof Material['leaves']]?.fingerprint !== fingerprint,
    );
    if (step.do === 'create' || step.do === 'begin-overlap') metrics.rotationsTotal.inc({ what: 'ca' });
    metrics.rotationsTotal.inc({ what: 'leaf' }, leaves.length);
    logger.info('certificates written', {
      step: step.do,
      because: step.because,
      problems: stored.problems,
      generation: material.generation,
      renewed: leaves.map(([leaf]) => leaf),
    });
    return material;
  }

  /** True when anything was written, or has to be looked at again. */
  async #inject(
    live: readonly LiveConfiguration[],
    bundle: string,
    failures: Map<KeptPart, unknown>,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { client, logger } = this.#deps;
    let again = false;
    for (const configuration of live) {
      if (configuration.webhooks.every(({ caBundle }) => caBundle === bundle)) continue;
      try {
        await injectBundle(client, configuration, bundle, signal ? { signal } : {});
        again = true;
        logger.info('caBundle written', { kind: configuration.kind, configuration: configuration.name });
      } catch (thrown) {
        if (isOvertaken(thrown)) again = true;
        else failures.set('ca_bundle', thrown);
      }
    }
    return again;
  }

  #measure({ generation, ca, leaves }: Material, live: readonly LiveConfiguration[] | undefined): void {
    const { metrics, clock } = this.#deps;
    metrics.generation.set(generation);
    for (const [certificate, { notAfterMs }] of Object.entries({ ca, ...leaves })) {
      metrics.notAfterSeconds.set({ certificate }, notAfterMs / 1000);
    }
    const host = webhookHost(this.#settings.names);
    const coverage = live
      ? live
          .flatMap(({ webhooks }) => webhooks)
          .map(({ caBundle }) => coverageProblem(leaves.webhook.cert, caBundle, host, clock.nowMs()))
          .find((problem) => problem !== undefined)
      : 'the live caBundle cannot be read';
    metrics.covered.set(coverage === undefined ? 1 : 0);
    this.#status = { ...this.#status, coverage };
  }
}

function fingerprints(live: readonly LiveConfiguration[]): LiveBundles {
  return live.flatMap(({ webhooks }) =>
    webhooks.map(({ caBundle }) => new Set(readBundle(caBundle).map(({ fingerprint256 }) => fingerprint256))),
  );
}

function isUnreachable(thrown: unknown): boolean {
  return thrown instanceof CertificatesNotKeptError && thrown.cause instanceof ConnectionError;
}

/** Another was faster; nothing is wrong. */
function isOvertaken(thrown: unknown): boolean {
  return thrown instanceof ConflictError || thrown instanceof AlreadyExistsError;
}
