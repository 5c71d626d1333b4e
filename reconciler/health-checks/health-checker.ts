import { gateAnnotations } from '../../shared/domain/annotations/annotations';
import { errorMessage } from '../../shared/domain/errors';
import { formatDuration } from '../../shared/domain/text/duration';
import type { AskedChecks, CheckName, HealthCheckSettings } from '../../shared/domain/gate-settings/health-check';
import { Deadline } from '../../shared/kube/client/deadline';
import type { Clock } from '../../shared/runtime/clock';
import { passed, unanswered, type CheckAnswer } from './check-answer';
import type { PrometheusCheck } from './prometheus-check';
import type { ServiceCheck } from './service-check';

/** How long one check may take. */
export const checkTimeoutMs = 5_000;

export interface HealthCheckerOptions {
  readonly clock: Clock;
  /** Undefined: URLs are not asked. */
  readonly service?: Pick<ServiceCheck, 'ask'> | undefined;
  /** Undefined: queries are not asked. */
  readonly prometheus?: Pick<PrometheusCheck, 'ask'> | undefined;
}

/** Asks the health checks of a workload. */
export class HealthChecker {
  readonly #options: HealthCheckerOptions;
  readonly asked: AskedChecks;

  constructor(options: HealthCheckerOptions) {
    this.#options = options;
    this.asked = { urls: options.service !== undefined, queries: options.prometheus !== undefined };
  }

  /** Asks one after the other, until one does not pass. Never rejects. */
  async ask(
    { healthyUrl: url, healthyQuery: query }: HealthCheckSettings,
    namespace: string,
    signal: AbortSignal,
  ): Promise<CheckAnswer> {
    const { service, prometheus } = this.#options;
    const ofUrl =
      service && url
        ? await this.#answerOf(
            'healthyUrl',
            url,
            signal,
            async (asked, limit) => await service.ask(asked, namespace, limit),
          )
        : passed;
    if (ofUrl.result !== 'passed' || !prometheus || !query) return ofUrl;
    return await this.#answerOf(
      'healthyQuery',
      query,
      signal,
      async (asked, limit) => await prometheus.ask(asked, limit),
    );
  }

  async #answerOf<Check extends object>(
    name: CheckName,
    check: Check | 'unreadable',
    signal: AbortSignal,
    ask: (check: Check, signal: AbortSignal) => Promise<CheckAnswer>,
  ): Promise<CheckAnswer> {
    const answer =
      check === 'unreadable'
        ? unanswered('cannot be read')
        : await this.#inTime(signal, async (limit) => await ask(check, limit));
    return answer.result === 'passed' ? answer : { ...answer, why: `${gateAnnotations[name]}: ${answer.why}` };
  }

  async #inTime(signal: AbortSignal, ask: (signal: AbortSignal) => Promise<CheckAnswer>): Promise<CheckAnswer> {
    const deadline = new Deadline(this.#options.clock, signal);
    deadline.set(checkTimeoutMs);
    try {
      return await deadline.race(ask(deadline.signal));
    } catch (thrown) {
      return unanswered(deadline.expired ? `no answer within ${formatDuration(checkTimeoutMs)}` : errorMessage(thrown));
    } finally {
      deadline.dispose();
    }
  }
}
