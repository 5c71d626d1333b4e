import { errorMessage } from '../../shared/domain/errors';
import { isServed } from '../../shared/kube/client/discovery';
import { NotFoundError } from '../../shared/kube/errors';
import type { Reflector, ReflectorDeps } from '../../shared/kube/list-watch/reflector';
import { resourceName, type Resource } from '../../shared/kube/resource';
import { isAborted, sleep } from '../../shared/runtime/clock';
import { BackgroundLoop } from '../../shared/runtime/process/background-loop';
import { backoffMs, type BackoffOptions } from '../../shared/runtime/random';

export interface OptionalWatchOptions {
  readonly deps: Omit<ReflectorDeps, 'observer'>;
  readonly resource: Resource;
  /** One list-watch per watched namespace. */
  readonly reflectors: readonly Pick<Reflector<unknown>, 'start' | 'stop' | 'status'>[];
  /** The API was removed, and with it everything that the watches have shown. */
  readonly onLost: () => void;
}

/**
 * One small request for a kind that is not served, however many namespaces there are. Most clusters never serve it, so
 * asking every minute would be most of the requests of an idle Reroll.
 */
const askEveryMs = 5 * 60_000;

/** An API server that does not answer may be starting. */
const unansweredBackoff: BackoffOptions = { baseMs: 500, maxMs: 60_000 };

/**
 * Watches a kind whose API comes with an add-on, as long as it is served.
 *
 *     ask ── served ──▶ watch ── 404 ──▶ forget ──▶ ask, minutes later
 *      ▲ not served,      │
 *      └ minutes later    └── the list-watch handles everything else
 */
export class OptionalWatch {
  readonly #options: OptionalWatchOptions;
  readonly #loop = new BackgroundLoop(async (signal) => await this.#run(signal));
  #served = false;
  #unanswered = 0;
  /** Logged once: in most clusters it is normal that the API is missing. */
  #absenceReported = false;
  #lost: (() => void) | undefined;

  constructor(options: OptionalWatchOptions) {
    this.#options = options;
  }

  get served(): boolean {
    return this.#served;
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** Lists again what is watched now. A kind that is not served is found by asking. */
  async listAgain(): Promise<void> {
    const watching = this.#lost;
    if (!watching) return;
    await Promise.all(
      this.#options.reflectors.map(async (reflector) => {
        await reflector.stop();
        if (this.#lost === watching) reflector.start();
      }),
    );
  }

  /** Called when a list-watch was refused: a 404 for a collection means that the API was removed. */
  refused(): void {
    if (this.#options.reflectors.some(({ status }) => status.lastError instanceof NotFoundError)) this.#lost?.();
  }

  /** Never rejects. */
  async #run(signal: AbortSignal): Promise<void> {
    const { clock, resource, logger } = { ...this.#options, ...this.#options.deps };
    while (!isAborted(signal)) {
      if (await this.#ask(signal)) {
        if (isAborted(signal)) return;
        logger.info(`${resourceName(resource)} is served, watching it`);
        await this.#watch(signal);
        if (isAborted(signal)) return;
        logger.warn(
          `${resourceName(resource)} is no longer served; its workloads are not restarted until it is served again`,
        );
      }
      await sleep(clock, this.#delayMs(), signal);
    }
  }

  async #ask(signal: AbortSignal): Promise<boolean> {
    const { resource, deps } = this.#options;
    try {
      const served = await isServed(deps.client, resource, { signal });
      this.#unanswered = 0;
      if (!served && !this.#absenceReported)
        deps.logger.info(`${resourceName(resource)} is not served; waiting for it`);
      this.#absenceReported = true;
      return served;
    } catch (error) {
      if (isAborted(signal)) return false;
      if (this.#unanswered++ === 0) {
        const message = `cannot find out whether ${resourceName(resource)} is served; trying again`;
        deps.logger.warn(message, { error: errorMessage(error) });
      }
      return false;
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { reflectors, onLost } = this.#options;
    this.#served = true;
    await new Promise<void>((resolve) => {
      this.#lost = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
      for (const reflector of reflectors) reflector.start();
    });
    this.#lost = undefined;
    await Promise.all(reflectors.map(async (reflector) => await reflector.stop()));
    this.#served = false;
    if (!isAborted(signal)) onLost();
  }

  #delayMs(): number {
    const { random } = this.#options.deps;
    // Keeps the replicas out of step.
    if (this.#unanswered === 0) return askEveryMs * (1 + random.float() / 4);
    return backoffMs(random, this.#unanswered, unansweredBackoff);
  }
}
