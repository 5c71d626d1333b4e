import type { Fault, FaultTarget } from '../apiserver/faults';
import { ownNamespace } from '../engine-settings';
import { Draw } from './draw';

/** The kinds of bad weather: faults between a process and the server. The fault is drawn again each time it strikes. */
export const weatherKinds = [
  'refused',
  'lost-answer',
  'hang',
  'unauthorized',
  'forbidden',
  'not-found',
  'conflict',
  'gone',
  'throttled',
  'server-error',
  'stream-reset',
  'stream-half-open',
  'stream-gone',
  'stream-truncated',
  'stream-malformed',
  'stream-duplicate',
  'answer-truncated',
] as const;

/** How third-party admission and gateways refuse writes to workloads. */
export const refusalKinds = ['denied', 'invalid', 'throttled-for-a-day'] as const;
export type WeatherKind = (typeof weatherKinds)[number] | (typeof refusalKinds)[number];

/** A period in which some of the requests fail in one way. */
export interface Weather {
  readonly kind: WeatherKind;
  readonly fromMs: number;
  readonly toMs: number;
  /** The share of requests that it strikes, out of those that it may strike. */
  readonly rate: number;
  /** The plural name of the only resource, or the name of the only namespace, that it strikes; undefined: all. */
  readonly resource: string | undefined;
  readonly seed: number;
}

type Strike = (draw: Draw) => Fault;

const strikes: Readonly<Record<WeatherKind, Strike>> = {
  refused: () => ({ kind: 'reset', when: 'before' }),
  'lost-answer': () => ({ kind: 'reset', when: 'after' }),
  hang: () => ({ kind: 'half-open' }),
  unauthorized: () => ({ kind: 'status', code: 401 }),
  forbidden: () => ({ kind: 'status', code: 403 }),
  'not-found': () => ({ kind: 'status', code: 404 }),
  conflict: () => ({ kind: 'status', code: 409 }),
  gone: () => ({ kind: 'status', code: 410 }),
  throttled: (draw) => ({ kind: 'status', code: 429, retryAfterSeconds: draw.int(0, 3) }),
  'server-error': (draw) => ({ kind: 'status', code: draw.pick([500, 503, 504]) }),
  'stream-reset': (draw) => ({ kind: 'reset-stream', atEvent: draw.int(0, 6) }),
  'stream-half-open': (draw) => ({ kind: 'half-open', atEvent: draw.int(0, 6) }),
  'stream-gone': (draw) => ({ kind: 'error-event', code: draw.pick([410, 500]), atEvent: draw.int(0, 6) }),
  'stream-truncated': (draw) => ({ kind: 'truncate', atEvent: draw.int(0, 6) }),
  'stream-malformed': (draw) => ({ kind: 'malform', atEvent: draw.int(0, 6) }),
  'stream-duplicate': () => ({ kind: 'duplicate' }),
  'answer-truncated': () => ({ kind: 'truncate', atEvent: 0 }),
  denied: () => ({
    kind: 'status',
    code: 403,
    message: 'admission webhook "policy.example" denied the request: frozen',
  }),
  invalid: () => ({ kind: 'status', code: 422, message: 'Deployment.apps "web" is invalid: spec: Invalid value' }),
  'throttled-for-a-day': () => ({ kind: 'status', code: 429, retryAfterSeconds: 86_400 }),
};

/** All the weather of a world. */
export class Sky {
  readonly #fronts: readonly { readonly weather: Weather; readonly draw: Draw }[];
  readonly #nowMs: () => number;

  constructor(weathers: readonly Weather[], nowMs: () => number) {
    this.#fronts = weathers.map((weather) => ({ weather, draw: new Draw(weather.seed) }));
    this.#nowMs = nowMs;
  }

  /** The fault that strikes a request, if any. */
  strike(target: FaultTarget): { readonly kind: WeatherKind; readonly fault: Fault } | undefined {
    const nowMs = this.#nowMs();
    for (const { weather, draw } of this.#fronts) {
      if (nowMs < weather.fromMs || nowMs >= weather.toMs || !mayStrike(weather, target)) continue;
      if (draw.chance(weather.rate)) return { kind: weather.kind, fault: strikes[weather.kind](draw) };
    }
    return undefined;
  }
}

function mayStrike({ kind, resource }: Weather, { method, pathname, isWatch }: FaultTarget): boolean {
  if (isRefusal(kind) && !(isOfWorkloads(pathname) && (method === 'PATCH' || method === 'POST'))) return false;
  if (resource !== undefined && !pathname.split('/').includes(resource)) return false;
  if (kind.startsWith('stream-')) return isWatch;
  if (kind === 'answer-truncated') return !isWatch && method === 'GET';
  if (kind === 'conflict') return method === 'PATCH' || method === 'PUT' || method === 'POST';
  if (kind === 'lost-answer') return !isWatch;
  if (kind === 'gone') return method === 'GET';
  // If these are forbidden for long, Reroll works without its key and journal, and promises less: see docs/rights.md.
  if (kind === 'forbidden') return !pathname.startsWith(`/api/v1/namespaces/${ownNamespace}/secrets`);
  return true;
}

/** Whether lists and watches may fail, too. */
export function strikesReads(kind: WeatherKind): boolean {
  return !isRefusal(kind) && kind !== 'conflict';
}

export function isRefusal(kind: WeatherKind): boolean {
  return refusalKinds.some((refusal) => refusal === kind);
}

function isOfWorkloads(pathname: string): boolean {
  return pathname.startsWith('/apis/apps/') || pathname.startsWith('/apis/batch/');
}
