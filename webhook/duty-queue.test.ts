import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../shared/runtime/fake-clock';
import { silentLogger } from '../shared/runtime/logger';
import { parseAdmissionReview } from './admission-review';
import { DutyQueue } from './duty-queue';
import { WebhookMetrics } from './metrics';
import { bytes, review } from './review.fixture';

/** A clock that goes on by a millisecond each time it is asked. */
class BusyClock extends FakeClock {
  #ms = 0;

  override monotonicMs(): number {
    return this.#ms++;
  }
}

describe('DutyQueue', () => {
  it('does its work in turns, between which reviews are answered', async () => {
    const clock = new BusyClock();
    const turns: string[] = [];
    const queue = new DutyQueue({
      clock,
      logger: silentLogger,
      metrics: new WebhookMetrics(),
      duties: [{ name: 'capture', wants: () => true, run: ({ uid }) => turns.push(uid) }],
    });
    const left: string[] = [];
    for (const uid of ['a', 'b', 'c', 'd', 'e']) {
      const { request } = parseAdmissionReview(bytes(review({ uid })))!;
      queue.add(request!, { take: () => true, leave: () => left.push(uid) });
    }
    clock.timer(0, () => turns.push('answer'));
    for (let round = 0; round < 9; round++) await clock.advance(10);
    expect(turns.indexOf('answer')).toBeGreaterThan(0);
    expect(turns.indexOf('answer')).toBeLessThan(5);
    expect(turns.filter((turn) => turn !== 'answer')).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(left).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('does half of what waits in each turn, however long that takes: load must not pile it up', async () => {
    const clock = new BusyClock();
    const turns: string[] = [];
    const queue = new DutyQueue({
      ...{ clock, logger: silentLogger, metrics: new WebhookMetrics() },
      duties: [{ name: 'capture', wants: () => true, run: () => turns.push('work') }],
    });
    const { request } = parseAdmissionReview(bytes(review()))!;
    for (let count = 0; count < 40; count++) queue.add(request!, { take: () => true, leave: () => undefined });
    clock.timer(0, () => turns.push('answer'));
    await clock.advance(0);
    expect(turns.indexOf('answer')).toBeGreaterThanOrEqual(20);
    expect(turns.indexOf('answer')).toBeLessThan(40);
  });

  it('holds nothing that no duty wants', () => {
    const clock = new FakeClock();
    const duty = { name: 'capture', wants: () => false, run: () => undefined } as const;
    const queue = new DutyQueue({ clock, logger: silentLogger, metrics: new WebhookMetrics(), duties: [duty] });
    let left = 0;
    const { request } = parseAdmissionReview(bytes(review()))!;
    queue.add(request!, { take: () => true, leave: () => left++ });
    expect([left, clock.pendingTimers]).toEqual([1, 0]);
  });

  it('goes on with the next review when a duty fails', async () => {
    const clock = new FakeClock();
    const done: string[] = [];
    const run = ({ uid }: { readonly uid: string }): void => {
      if (uid === 'a') throw new Error('a bug');
      done.push(uid);
    };
    const queue = new DutyQueue({
      clock,
      logger: silentLogger,
      metrics: new WebhookMetrics(),
      duties: [{ name: 'capture', wants: () => true, run }],
    });
    for (const uid of ['a', 'b']) {
      const { request } = parseAdmissionReview(bytes(review({ uid })))!;
      queue.add(request!, { take: () => true, leave: () => done.push(`left ${uid}`) });
    }
    await clock.advance(0);
    expect(done).toEqual(['left a', 'b', 'left b']);
  });
});
