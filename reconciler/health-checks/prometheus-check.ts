import * as z from 'zod';
import { parsedJson } from '../../shared/domain/kubernetes/json-value';
import type { HealthyQuery } from '../../shared/domain/gate-settings/health-check';
import type { HttpGet } from '../../shared/outbound/http-get';
import { basicAuthorization, endpoint } from '../../shared/outbound/proxy-route';
import { failed, passed, unanswered, type CheckAnswer } from './check-answer';

export interface PrometheusCheckOptions {
  readonly url: URL;
  readonly get: HttpGet;
  /** How long Prometheus may evaluate a query. */
  readonly timeoutMs: number;
}

/** One sample has some hundred bytes, and a Prometheus that knows `limit` sends no more. */
const maxAnswerBytes = 65_536;

/** @see https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries */
const answerSchema = z.object({
  status: z.literal('success'),
  data: z.discriminatedUnion('resultType', [
    z.object({ resultType: z.literal('vector'), result: z.array(z.unknown()) }),
    z.object({ resultType: z.literal('scalar'), result: z.tuple([z.number(), z.string()]) }),
  ]),
});

/** Asks the Prometheus of the install. */
export class PrometheusCheck {
  readonly #options: PrometheusCheckOptions;

  constructor(options: PrometheusCheckOptions) {
    this.#options = options;
  }

  /** @throws GetError, as the network */
  async ask({ promQl }: HealthyQuery, signal: AbortSignal): Promise<CheckAnswer> {
    const { url: base, get, timeoutMs } = this.#options;
    const url = new URL(base);
    url.pathname = `${base.pathname.replace(/\/$/, '')}/api/v1/query`;
    for (const [name, value] of Object.entries({ query: promQl, timeout: `${timeoutMs}ms`, limit: '1' })) {
      url.searchParams.set(name, value);
    }
    const { status, body } = await get(
      {
        ...{ protocol: url.protocol === 'https:' ? 'https' : 'http', ...endpoint(url) },
        path: url.pathname + url.search,
        headers: basicAuthorization('authorization', url),
        maxBodyBytes: maxAnswerBytes,
      },
      signal,
    );
    return status === 200 ? readQueryAnswer(body) : unanswered(`Prometheus answers with status ${status}`);
  }
}

/** What a query has answered. Its result is not kept, and nothing of a text is told. */
export function readQueryAnswer(body: string): CheckAnswer {
  const answer = answerSchema.safeParse(parsedJson(body));
  if (!answer.success) return unanswered('Prometheus answers with neither a vector nor a scalar');
  const { data } = answer.data;
  if (data.resultType === 'vector') return data.result.length > 0 ? passed : failed('the result is empty');
  const value = Number(data.result[1].replace(/Inf$/, 'Infinity'));
  // NaN is the quotient of nothing by nothing.
  return value === 0 || Number.isNaN(value) ? failed(`the result is ${value}`) : passed;
}
