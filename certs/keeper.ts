import { errorMessage, RerollError } from '../shared/domain/errors';
import type { KubeClient } from '../shared/kube/client/client';
import { ConnectionError } from '../shared/kube/errors';
import { BackgroundLoop } from '../shared/runtime/process/background-loop';
import { type Clock, sleep } from '../shared/runtime/clock';
import type { Logger } from '../shared/runtime/log/logger';
import { backoffMs, type Random } from '../shared/runtime/random';
import { AuthorityPart } from './authority-part';
import type { CertificateLifetimes } from './apply-step';
import type { CertificateNames } from './certificate-names';
import { KeeperPass, type KeeperPassDeps } from './keeper-pass';
import { keptSecretNames, MissingSecretError } from './kept-secret';
import type { KeyPairs } from './certificate';
import { type CertsMetrics, type KeptPart, keptParts } from './metrics';
import { TokenPart } from './token-part';
import type { ConfigurationNames } from './webhook-configurations';
import type { Check } from '../shared/runtime/http/http-server';

export interface KeeperSettings {
  readonly names: CertificateNames;
  readonly configurations: ConfigurationNames;
  /** Undefined if others manage the certificates: then neither certificates nor caBundles are touched. */
  readonly lifetimes: CertificateLifetimes | undefined;
  readonly tokenLifeMs: number;
}

export interface KeeperDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: CertsMetrics;
  readonly keyPairs: KeyPairs;
}

export interface KeeperStatus {
  /** True once everything due has been done at least once. */
  readonly kept: boolean;
  readonly problem: string | undefined;
  /** Why the API server would reject the webhook's certificate. Undefined if it would not, or if others manage it. */
  readonly coverage: string | undefined;
}

/** Certificates or token could not be brought to the required state; everything possible was done. */
export class NotReconciledError extends RerollError {
  constructor(problems: readonly string[], cause: unknown) {
    super(problems.join('; '), { code: 'CERTIFICATES_NOT_KEPT', cause });
  }
}

/** How often the wall clock is checked: a timer for the whole life of a certificate would not survive a suspend. */
const tickMs = 60_000;
const retry = { baseMs: 1_000, maxMs: tickMs };

/** Retries of {@link Keeper.keepOnce}. */
const onceRetries = 3;

/** Each pass that wrote is followed by one that reads back. The limit ends a conflict with another writer. */
const maxPasses = 8;

const costs: Readonly<Record<KeptPart, string>> = {
  secret:
    'until this is fixed, no certificate is renewed, and the webhook is no longer called once its certificate has expired',
  token: 'until this is fixed, the token is not replaced, and registrations without it are not corrected',
  registration:
    'until this is fixed, the API server may not reach the webhook: changes are only found by the watch, without their author',
  published: 'until this is fixed, webhook and reconcilers keep their current certificates, and new replicas have none',
};

/**
 * Keeps the Secrets of certificates and token, and the webhook registrations that depend on them, in the required
 * state. Several keepers may run: each write names the version that it was decided on, so the first one wins and the
 * others read again.
 */
export class Keeper {
  readonly #deps: KeeperDeps;
  readonly #settings: KeeperSettings;
  readonly #parts: KeeperPassDeps;
  readonly #loop = new BackgroundLoop(async (signal) => await this.#keepOn(signal));
  #status: KeeperStatus;

  constructor(deps: KeeperDeps, settings: KeeperSettings) {
    this.#deps = deps;
    this.#settings = settings;
    const { metrics } = deps;
    const { names, lifetimes, tokenLifeMs } = settings;
    const certificates = metrics.certificates;
    this.#parts = {
      ...deps,
      authority: lifetimes && certificates && new AuthorityPart({ ...deps, metrics: certificates }, names, lifetimes),
      tokens: new TokenPart({ ...deps, metrics: metrics.tokens }, names.namespace, tokenLifeMs),
    };
    this.#status = { kept: false, problem: 'not looked yet', coverage: undefined };
  }

  get status(): KeeperStatus {
    return this.#status;
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** Does what is due now, and writes nothing if nothing is due. @throws NotReconciledError if a part failed. */
  async keep(signal?: AbortSignal): Promise<void> {
    const { names, configurations } = this.#settings;
    let failures = new Map<KeptPart, unknown>();
    let settled = false;
    for (let passes = 1; !settled && passes <= maxPasses; passes += 1) {
      const pass = new KeeperPass(this.#parts, names, configurations, signal);
      settled = await pass.run();
      failures = pass.failures;
      this.#status = { ...this.#status, coverage: pass.coverage };
    }
    if (signal?.aborted === true) return;
    if (!settled) failures.set('secret', new Error('others keep writing the Secrets or the webhook configurations'));
    this.#judge(failures);
  }

  /**
   * Like {@link keep}, with a few retries after a broken connection: no later pass follows a single run, and a write
   * without an answer may have been carried out.
   * @throws NotReconciledError
   */
  async keepOnce(): Promise<void> {
    const { clock, random, logger } = this.#deps;
    for (let attempt = 0; ; attempt++) {
      try {
        await this.keep();
        return;
      } catch (thrown) {
        if (attempt === onceRetries || !isUnreachable(thrown)) throw thrown;
        logger.warn('cannot maintain certificates; trying again', { error: errorMessage(thrown) });
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
        if (reported !== undefined) logger.info('certificates are maintained again');
        reported = undefined;
        attempt = 0;
      } catch (thrown) {
        const message = errorMessage(thrown);
        if (message !== reported) logger.warn('cannot maintain certificates', { error: message });
        reported = message;
        delayMs = backoffMs(random, attempt++, retry);
      }
      await sleep(clock, delayMs, signal);
    }
  }

  /** @throws NotReconciledError */
  #judge(failures: ReadonlyMap<KeptPart, unknown>): void {
    const { metrics } = this.#deps;
    const failed = keptParts.filter((part) => failures.has(part));
    for (const part of failed) metrics.errorsTotal.inc({ part });
    const missing = [...failures.values()].flatMap((each) => (each instanceof MissingSecretError ? each.secret : []));
    for (const secret of keptSecretNames) metrics.secretMissing.set({ secret }, missing.includes(secret) ? 1 : 0);
    const problems = failed.map((part) => `${errorMessage(failures.get(part))}; ${costs[part]}`);
    const problem = problems.length > 0 ? problems.join('; ') : undefined;
    this.#status = { ...this.#status, kept: this.#status.kept || failed.length === 0, problem };
    if (problems.length > 0) throw new NotReconciledError(problems, failures.get(failed[0] ?? 'secret'));
  }
}

function isUnreachable(thrown: unknown): boolean {
  return thrown instanceof NotReconciledError && thrown.cause instanceof ConnectionError;
}

/** Ready once everything has been published. Later problems are only reported: a restart would not fix them. */
export function readinessChecks(keeper: Pick<Keeper, 'status'>): readonly Check[] {
  return [
    {
      name: 'certificates',
      check: () => {
        const { kept, problem, coverage } = keeper.status;
        return { ok: kept, message: problem ?? coverage ?? 'kept' };
      },
    },
  ];
}
