import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../runtime/fake-clock';
import { Deliveries, type DeliveriesOptions } from './deliveries';
import { zeroRandom } from './client.fixture';

type Answer = { readonly status: number; readonly retryAfterMs?: number };

const random = { ...zeroRandom, float: () => 0.5 };
const limits = { tries: 3, withinMs: 60_000, tryTimeoutMs: 5_000, backoff: { baseMs: 1_000, maxMs: 30_000 } };

let clock: FakeClock;
let stop: AbortController;
let told: string[];
/** When each try was made. */
let triedMs: number[];

beforeEach(() => {
  clock = new FakeClock();
  stop = new AbortController();
  told = [];
  triedMs = [];
});

function deliveries(more: Partial<DeliveriesOptions> = {}): Deliveries {
  return new Deliveries({
    ...{ clock, random, limits, signal: stop.signal },
    onTry: (result) => told.push(result),
    onOutage: (why, result) => told.push(`outage: ${result}, ${why}`),
    onRecovery: () => told.push('over'),
    ...more,
  });
}

/** Delivers to a receiver that answers like that, and 200 in the end. */
async function delivered(to: Deliveries, ...answers: readonly Answer[]): Promise<string> {
  const left = [...answers];
  const result = to.deliver(() => {
    triedMs.push(clock.monotonicMs());
    return Promise.resolve({ retryAfterMs: undefined, ...(left.shift() ?? { status: 200 }) });
  });
  await clock.advance(120_000);
  return await result;
}

const waits = (): readonly number[] => triedMs.slice(1).map((atMs, index) => atMs - (triedMs[index] ?? 0));

describe('a delivery', () => {
  it('is tried again after a failure, with backoff', async () => {
    expect(await delivered(deliveries(), { status: 503 }, { status: 503 })).toBe('sent');
    expect(told).toEqual(['failed', 'failed', 'delivered']);
    expect(waits()).toEqual([1_000, 1_500]);
  });

  it('waits as long as the receiver asks for, but not less than its own backoff', async () => {
    await delivered(deliveries(), { status: 429, retryAfterMs: 20_000 }, { status: 429, retryAfterMs: 1 });
    expect(waits()).toEqual([20_000, 1_500]);
  });

  it.each([
    ['after the last try', [503, 503, 503], limits],
    ['if the next try would be too late', [503], { ...limits, withinMs: 10 }],
  ])('is given up %s', async (_when, statuses, ofThese) => {
    const to = deliveries({ limits: ofThese });
    expect(await delivered(to, ...statuses.map((status) => ({ status })))).toBe('unreachable');
    expect(told.slice(-2)).toEqual(['given_up', 'outage: unreachable, answered 503']);
    expect(triedMs).toHaveLength(statuses.length);
  });

  it('is not tried again if it is refused', async () => {
    expect(await delivered(deliveries(), { status: 400 })).toBe('refused');
    expect(told).toEqual(['refused', 'outage: refused, answered 400']);
  });

  it('is tried again only after what may pass', async () => {
    const to = deliveries({ isTransient: (status) => status === 503 });
    expect(await delivered(to, { status: 503 }, { status: 500 })).toBe('refused');
  });

  it('ends when everything is stopped, also while it waits', async () => {
    const to = deliveries();
    const result = to.deliver(() => Promise.resolve({ status: 503 }));
    await clock.advance(0);
    stop.abort();
    await clock.advance(0);
    expect(await result).toBe('stopped');
    expect(await to.deliver(() => Promise.resolve({ status: 200 }))).toBe('stopped');
    expect(told).toEqual(['failed']);
  });
});

it('an outage is told once, and again after a recovery', async () => {
  const to = deliveries({ onTry: () => undefined });
  for (const status of [400, 400, 200, 200, 400]) await delivered(to, { status });
  expect(told).toEqual(['outage: refused, answered 400', 'over', 'outage: refused, answered 400']);
});
