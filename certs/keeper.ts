import { RerollError, errorMessage } from '../shared/domain/errors';
import type { KubeClient } from '../shared/kube/client/client';
import { ConnectionError } from '../shared/kube/errors';
import { BackgroundLoop } from '../shared/runtime/process/background-loop';
import { sleep, type Clock } from '../shared/runtime/clock';
import type { Logger } from '../shared/runtime/log/logger';
import { backoffMs, type Random } from '../shared/runtime/random';
import { AuthorityPart } from './authority-part';
import type { Lives } from './apply-step';
import type { CertificateNames } from './certificate-names';
import { KeeperPass, type KeeperPassDeps } from './keeper-pass';
import { keptSecretNames, MissingSecretError } from './kept-secret';
import type { KeyPairs } from './key-pairs';
import { keptParts, type CertsMetrics, type KeptPart } from './metrics';
import { TokenPart } from './token-part';
import type { ConfigurationNames } from './webhook-configurations';

export interface KeeperSettings {
  readonly names: CertificateNames;
  readonly configurations: ConfigurationNames;
  /** Undefined: certificates are of others, and neither they nor a caBundle are touched. */
  readonly lives: Lives | undefined;
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
  /** All that is owed has been done, at least once. */
  readonly kept: boolean;
  /** What keeps it from being so now. */
  readonly problem: string | undefined;
  /** Why the API server would not accept the webhook's certificate; undefined while it would, or where it is of others. */
  readonly coverage: string | undefined;
}

/** Certificates and token could not be brought to where they should be; all that could be done was. */
export class NotKeptError extends RerollError {
  constructor(problems: readonly string[], cause: unknown) {
    super(problems.join('; '), { code: 'CERTIFICATES_NOT_KEPT', cause });
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
  token: 'until then the token is not replaced, and a registration that does not name it stays so',
  registration:
    'until then the API server may not reach the webhook: changes are found by the watch alone, without their author',
  published: 'until then webhook and reconcilers go on with the certificates they have, and new ones of them have none',
};

/**
 * Keeps the Secrets of certificates and token, and what of them is in the registrations, as they should be. Any number of
 * keepers may run: each write names the version it was decided on, so the first one wins and the others read again.
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
    const { names, lives, tokenLifeMs } = settings;
    const certificates = metrics.certificates;
    this.#parts = {
      ...deps,
      authority: lives && certificates && new AuthorityPart({ ...deps, metrics: certificates }, names, lives),
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

  /**
   * Does what is owed now; writes nothing when that is nothing.
   *
   * @throws NotKeptError when a part could not be done.
   */
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
    if (!settled) failures.set('secret', new Error('others write the Secrets or the registrations again and again'));
    this.#judge(failures);
  }

  /**
   * As {@link keep}, and a few times more where a connection breaks: whoever runs this once has no later, and a write that
   * got no answer may have been carried out.
   *
   * @throws NotKeptError
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

  /** @throws NotKeptError */
  #judge(failures: ReadonlyMap<KeptPart, unknown>): void {
    const { metrics } = this.#deps;
    const failed = keptParts.filter((part) => failures.has(part));
    for (const part of failed) metrics.errorsTotal.inc({ part });
    const missing = [...failures.values()].flatMap((each) => (each instanceof MissingSecretError ? each.secret : []));
    for (const secret of keptSecretNames) metrics.secretMissing.set({ secret }, missing.includes(secret) ? 1 : 0);
    const problems = failed.map((part) => `${errorMessage(failures.get(part))}; ${costs[part]}`);
    const problem = problems.length > 0 ? problems.join('; ') : undefined;
    this.#status = { ...this.#status, kept: this.#status.kept || failed.length === 0, problem };
    if (problems.length > 0) throw new NotKeptError(problems, failures.get(failed[0] ?? 'secret'));
  }
}

function isUnreachable(thrown: unknown): boolean {
  return thrown instanceof NotKeptError && thrown.cause instanceof ConnectionError;
}
