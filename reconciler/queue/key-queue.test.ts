import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { sleep } from '../../shared/runtime/clock';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { KeyHeap } from './key-heap';
import { KeyQueue, sooner, type QueueResult } from './key-queue';

const done: QueueResult = { kind: 'done' };
const middle = { float: () => 0.5, bytes: (length: number) => Buffer.alloc(length) };

describe('the result of two steps', () => {
  const again = (afterMs: number): QueueResult => ({ kind: 'again', afterMs });
  const failed = (afterMs: number): QueueResult => ({ kind: 'failed', afterMs });

  it.each([
    ['done if both are', done, done, done],
    ['the one that is not done', done, again(5), again(5)],
    ['the one that is not done, in the other order', again(5), done, again(5)],
    ['the earlier of two', again(5), again(3), again(3)],
    ['the earlier of two, in the other order', again(3), again(5), again(3)],
    ['the failure, although the other is due earlier', again(3), failed(5), failed(5)],
    ['the failure, in the other order', failed(5), again(3), failed(5)],
    ['the first of two failures', failed(5), failed(3), failed(5)],
  ])('is %s', (_what, left, right, expected) => {
    expect(sooner(left, right)).toEqual(expected);
  });
});

describe('KeyQueue', () => {
  let clock: FakeClock;
  let runs: string[];
  let finish: Map<string, (result: QueueResult) => void>;

  beforeEach(() => {
    clock = new FakeClock();
    runs = [];
    finish = new Map();
  });

  /** Runs that end when the test says so. */
  function heldQueue(concurrency = 10): KeyQueue {
    return queueOf(concurrency, async (key) => await new Promise((resolve) => finish.set(key, resolve)));
  }

  function queueOf(concurrency: number, run: (key: string) => Promise<QueueResult>): KeyQueue {
    const process = async (key: string): Promise<QueueResult> => {
      runs.push(key);
      return await run(key);
    };
    return new KeyQueue({ clock, random: middle, concurrency, backoff: { baseMs: 100, maxMs: 10_000 }, process });
  }

  async function end(key: string, result: QueueResult = done): Promise<void> {
    finish.get(key)?.(result);
    await clock.advance(0);
  }

  it('runs a key that is added many times once', async () => {
    const queue = queueOf(10, async () => done);
    for (let n = 0; n < 10; n++) queue.add('a');
    await clock.advance(60_000);
    expect(runs).toEqual(['a']);
  });

  it('keeps few entries for a key that waits for long and is added again and again meanwhile', async () => {
    const queue = queueOf(10, async () => ({ kind: 'again', afterMs: 3_600_000 }));
    for (let n = 0; n < 1_000; n++) {
      queue.add('held');
      await clock.advance(1_000);
    }
    expect([runs.length, queue.depth]).toEqual([1_000, 1]);
    // Each entry is taken out when it would be due.
    const takenOut = jest.spyOn(KeyHeap.prototype, 'pop');
    try {
      await clock.advance(3_600_000);
      expect(runs).toHaveLength(1_001);
      expect(takenOut.mock.calls.length).toBeLessThan(100);
    } finally {
      takenOut.mockRestore();
    }
  });

  it('runs each key when it is due, also after it has dropped the entries of others', async () => {
    const queue = queueOf(10, async (key) => (key === 'held' ? { kind: 'again', afterMs: 3_600_000 } : done));
    queue.add('later', 500_000);
    for (let n = 0; n < 400; n++) {
      queue.add('held');
      await clock.advance(1_000);
    }
    expect(runs).not.toContain('later');
    await clock.advance(100_000);
    expect(runs.at(-1)).toBe('later');
  });

  it('tells where a key is', async () => {
    const queue = heldQueue();
    expect(queue.standing('a')).toBeUndefined();
    queue.add('a', 1_000);
    expect(queue.standing('a')).toMatchObject({ addedMs: clock.monotonicMs(), dueMs: clock.monotonicMs() + 1_000 });
    await clock.advance(1_000);
    queue.add('a');
    expect(queue.standing('a')).toBe('running');
    await end('a', { kind: 'again', afterMs: 5_000 });
    expect(queue.standing('a')).toBe('running');
    await end('a');
    expect(queue.standing('a')).toBeUndefined();
  });

  it('tells since when the first of the keys that are due could run', async () => {
    const queue = heldQueue(1);
    queue.add('runs');
    await clock.advance(0);
    queue.add('later', 5_000);
    expect(queue.oldestDueMs()).toBeUndefined();
    queue.add('second', 200);
    queue.add('first', 100);
    await clock.advance(1_000);
    expect(queue.oldestDueMs()).toBe(clock.monotonicMs() - 900);
  });

  it('never runs a key twice at a time, and runs it again if it was added meanwhile', async () => {
    const queue = heldQueue();
    queue.add('a');
    await clock.advance(0);
    queue.add('a');
    queue.add('a');
    await clock.advance(1_000);
    expect(runs).toEqual(['a']);
    await end('a');
    expect(runs).toEqual(['a', 'a']);
    await end('a');
    await clock.advance(60_000);
    expect(runs).toEqual(['a', 'a']);
  });

  it('runs other keys while one runs, up to its concurrency', async () => {
    const queue = heldQueue(2);
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await clock.advance(0);
    expect(runs).toEqual(['a', 'b']);
    await end('a');
    expect(runs).toEqual(['a', 'b', 'c']);
  });

  it('runs the first key of one change before the hundredth of another', async () => {
    const queue = heldQueue(2);
    for (let place = 0; place < 100; place++) queue.add(`many-${String(place)}`, 0, place);
    await clock.advance(0);
    queue.add('few-0', 0, 0);
    queue.add('few-1', 0, 1);
    await end('many-0');
    await end('many-1');
    await end('many-2');
    expect(runs).toEqual(['many-0', 'many-1', 'few-0', 'many-2', 'few-1']);
  });

  it('runs a key of a large change no later than the same key of a small one would', async () => {
    const queue = heldQueue(1);
    for (let place = 0; place < 100; place++) queue.add(`many-${String(place)}`, 0, place);
    await clock.advance(0);
    queue.add('many-99', 0, 0);
    await end('many-0');
    expect(runs).toEqual(['many-0', 'many-99']);
  });

  it('lets a large change make progress, however many small ones arrive', async () => {
    const queue = heldQueue(1);
    for (let place = 0; place < 10; place++) queue.add(`many-${String(place)}`, 0, place);
    await clock.advance(0);
    for (let index = 0; !runs.includes('many-9') && index < 100; index++) {
      queue.add(`few-${String(index)}`);
      await end(runs.at(-1) ?? '');
    }
    expect(runs.indexOf('many-9')).toBeLessThan(30);
  });

  it('keeps the place of a key that has to wait before it is done', async () => {
    const results: QueueResult[] = ['many-0', 'many-1'].map(() => ({ kind: 'again', afterMs: 1_000 }));
    const queue = queueOf(1, async () => results.shift() ?? done);
    queue.add('many-1', 0, 1);
    queue.add('many-0', 0, 0);
    await clock.advance(500);
    queue.add('few', 500);
    await clock.advance(500);
    expect(runs.slice(2)).toEqual(['many-0', 'few', 'many-1']);
  });

  it('waits for the delay that was asked for, and no longer than the shortest', async () => {
    const queue = queueOf(10, async () => done);
    queue.add('a', 1_000);
    queue.add('a', 5_000);
    queue.add('b', 5_000);
    queue.add('b', 500);
    await clock.advance(499);
    expect(runs).toEqual([]);
    await clock.advance(1);
    expect(runs).toEqual(['b']);
    await clock.advance(500);
    expect(runs).toEqual(['b', 'a']);
    await clock.advance(10_000);
    expect(runs).toHaveLength(2);
  });

  it('looks again after the delay that the run asked for', async () => {
    const results: QueueResult[] = [{ kind: 'again', afterMs: 700 }];
    const queue = queueOf(10, async () => results.shift() ?? done);
    queue.add('a');
    await clock.advance(699);
    expect(runs).toEqual(['a']);
    await clock.advance(1);
    expect(runs).toEqual(['a', 'a']);
  });

  it('tries a failing key for ever, ever more rarely, up to the longest delay', async () => {
    const times: number[] = [];
    const queue = queueOf(10, async () => {
      times.push(clock.monotonicMs());
      return { kind: 'failed' };
    });
    queue.add('a');
    await clock.advance(3_600_000);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps.slice(0, 4)).toEqual([100, 150, 250, 450]);
    expect(gaps.at(-1)).toBe(5_050);
    expect(times.length).toBeGreaterThan(500);
  });

  it('does not try earlier than the server asked for', async () => {
    const results: QueueResult[] = [{ kind: 'failed', afterMs: 30_000 }];
    const queue = queueOf(10, async () => results.shift() ?? done);
    queue.add('a');
    await clock.advance(29_999);
    expect(runs).toEqual(['a']);
    await clock.advance(1);
    expect(runs).toEqual(['a', 'a']);
  });

  it('waits no longer than two minutes, whatever the server asks for', async () => {
    const results: QueueResult[] = [{ kind: 'failed', afterMs: 86_400_000 }];
    const queue = queueOf(10, async () => results.shift() ?? done);
    queue.add('a');
    await clock.advance(119_999);
    expect(runs).toEqual(['a']);
    await clock.advance(1);
    expect(runs).toEqual(['a', 'a']);
  });

  it('runs a failed key that is added again when its backoff is over, not when the server asked for it', async () => {
    const results: QueueResult[] = [{ kind: 'failed' }, { kind: 'failed', afterMs: 30_000 }];
    const queue = queueOf(10, async () => results.shift() ?? done);
    queue.add('a');
    await clock.advance(100);
    for (let n = 0; n < 10; n++) queue.add('a');
    await clock.advance(149);
    expect(runs).toEqual(['a', 'a']);
    await clock.advance(1);
    expect(runs).toEqual(['a', 'a', 'a']);
  });

  it.each<[what: string, result: QueueResult, delayMs: number, runsAtMs: number]>([
    ['at once though the run asks for later', { kind: 'again', afterMs: 600_000 }, 0, 2_000],
    ['when it was asked for though the run asks for later', { kind: 'again', afterMs: 600_000 }, 10_000, 11_000],
    ['when the run asks for it where that is earlier', { kind: 'again', afterMs: 3_000 }, 60_000, 5_000],
    ['when it was asked for though nothing is left to do for now', done, 10_000, 11_000],
    ['when it was asked for though nothing was tried', { kind: 'done', isUntried: true }, 10_000, 11_000],
    ['after the backoff though the server asks for later', { kind: 'failed', afterMs: 60_000 }, 0, 2_100],
    ['when the server asks for it where that is earlier', { kind: 'failed', afterMs: 3_000 }, 60_000, 5_000],
  ])('looks at what was added while it ran %s', async (_what, result, delayMs, runsAtMs) => {
    const times: number[] = [];
    const queue = queueOf(10, async () => {
      times.push(clock.monotonicMs());
      if (times.length > 1) return done;
      await sleep(clock, 2_000);
      return result;
    });
    queue.add('a');
    await clock.advance(1_000);
    queue.add('a', delayMs);
    await clock.advance(3_600_000);
    expect(times).toEqual([0, runsAtMs]);
  });

  it.each<[string, QueueResult, number]>([
    ['forgets the failures of a key once it succeeded', done, 100],
    ['goes on with its backoff if nothing was tried', { kind: 'done', isUntried: true }, 450],
    ['goes on with its backoff if it is to be tried later', { kind: 'again', afterMs: 1, isUntried: true }, 450],
  ])('%s', async (_what, result, backoffMs) => {
    const results: QueueResult[] = [
      { kind: 'failed' },
      { kind: 'failed' },
      { kind: 'failed' },
      result,
      { kind: 'failed' },
    ];
    const times: number[] = [];
    const queue = queueOf(10, async () => {
      times.push(clock.monotonicMs());
      return results.shift() ?? done;
    });
    queue.add('a');
    await clock.advance(10_000);
    queue.add('a');
    await clock.advance(10_000);
    expect((times[5] ?? 0) - (times[4] ?? 0)).toBe(backoffMs);
  });

  it('lets no key wait for the failures of another', async () => {
    const queue = queueOf(1, async (key) => (key === 'bad' ? { kind: 'failed' } : done));
    queue.add('bad');
    for (let n = 0; n < 5; n++) queue.add(`good-${String(n)}`);
    await clock.advance(0);
    expect(runs).toEqual(['bad', 'good-0', 'good-1', 'good-2', 'good-3', 'good-4']);
  });

  it('does not run a key that was forgotten while it waited', async () => {
    const queue = queueOf(10, async () => done);
    queue.add('a', 100);
    queue.forget('a');
    await clock.advance(1_000);
    expect(runs).toEqual([]);
    expect(queue.depth).toBe(0);
  });

  it('stops: starts nothing more, and waits for what runs', async () => {
    const queue = heldQueue();
    queue.add('a');
    queue.add('b', 100);
    await clock.advance(0);
    let stopped = false;
    const stopping = queue.stop().then(() => (stopped = true));
    await clock.advance(1_000);
    expect({ stopped, runs }).toEqual({ stopped: false, runs: ['a'] });
    await end('a', { kind: 'failed' });
    await stopping;
    queue.add('c');
    await clock.advance(60_000);
    expect(runs).toEqual(['a']);
    expect(clock.pendingTimers).toBe(0);
  });

  describe('waiting for idleness', () => {
    let idleMoments: number;

    function wait(queue: KeyQueue, maxMs = 5_000): void {
      void queue.whenIdle(maxMs).then(() => idleMoments++);
    }

    beforeEach(() => {
      idleMoments = 0;
    });

    it('ends at once if nothing is due, whatever waits for its time', async () => {
      const queue = heldQueue();
      queue.add('later', 60_000);
      wait(queue);
      await clock.advance(0);
      expect(idleMoments).toBe(1);
      expect(clock.pendingTimers).toBe(1);
    });

    it('ends when the only key that is due is forgotten', async () => {
      const queue = heldQueue();
      queue.add('deleted');
      wait(queue);
      queue.forget('deleted');
      await clock.advance(0);
      expect(idleMoments).toBe(1);
    });

    it('ends when everything that runs or is due has finished', async () => {
      const queue = heldQueue(1);
      queue.add('a');
      queue.add('b');
      wait(queue);
      await clock.advance(0);
      await end('a');
      expect([runs, idleMoments]).toEqual([['a', 'b'], 0]);
      wait(queue);
      await end('b');
      expect([idleMoments, clock.pendingTimers]).toEqual([2, 0]);
    });

    it('ends after the given time at the latest', async () => {
      const queue = heldQueue();
      queue.add('a');
      wait(queue, 1_000);
      await clock.advance(999);
      expect(idleMoments).toBe(0);
      await clock.advance(1);
      expect(idleMoments).toBe(1);
    });

    it('ends when the queue stops', async () => {
      const queue = heldQueue();
      queue.add('a');
      await clock.advance(0);
      wait(queue);
      const stopping = queue.stop();
      await end('a', { kind: 'failed' });
      await stopping;
      await clock.advance(0);
      expect([idleMoments, clock.pendingTimers]).toEqual([1, 0]);
    });
  });
});
