import { beforeEach, describe, expect, it } from '@jest/globals';
import { budgets } from '../../shared/domain/budgets';
import { checkedSegment, historyOf, writtenLine } from '../../shared/domain/protocol/history-line';
import { clientWorld, zeroRandom } from '../../shared/kube/client/client.fixture';
import { ConnectionError } from '../../shared/kube/errors';
import type { HttpRequest } from '../../shared/kube/transport';
import { noAnswer, refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import { JobStore } from '../apply/job-journal.fixture';
import { entryAt } from './history.fixture';
import { HistoryStore } from './history-store';
import { HistoryWriter } from './history-writer';

const batchMs = 5_000;
const minuteMs = 60_000;
const indices = Array.from({ length: budgets.historySegments }, (_, index) => index);
const pathOf = (index: number): string => `/api/v1/namespaces/reroll/configmaps/reroll-history-${index}`;

/** Happens before the API server sees a request. An answer stands in for the API server's. */
type Fault = (request: HttpRequest) => Reply | Promise<Reply> | undefined;

const none: Fault = () => undefined;
const ofWrites =
  (fault: Fault): Fault =>
  (request) =>
    request.method === 'GET' ? undefined : fault(request);
const forbidden = (): Reply => refusal(403, 'Forbidden', 'User "reroll" cannot create resource "configmaps"');

let cluster: JobStore;
beforeEach(() => {
  cluster = new JobStore();
});

/** One process, which keeps its history in the cluster of all. */
class Replica {
  fault: Fault = none;
  refusals = 0;
  reads = 0;
  readonly writer: HistoryWriter;
  readonly #world = clientWorld(async (request) => (await this.fault(request)) ?? (await carriedOut(request)));

  constructor({ isInMemory = false } = {}) {
    const { client, clock, logger } = this.#world;
    const store = new HistoryStore({
      ...{ client, namespace: 'reroll', ignoreKey: 'ignore' },
      assertLeading: () => undefined,
      onBroken: (configMap, problem) => logger.error(`${configMap}: ${problem}`),
    });
    this.writer = new HistoryWriter({
      ...{ clock, logger, random: zeroRandom, store: isInMemory ? undefined : store },
      onRefused: () => this.refusals++,
      onRead: () => this.reads++,
    });
  }

  /** Its term has begun, and it has read the history. */
  static async leading(): Promise<Replica> {
    const replica = new Replica();
    replica.writer.begin();
    await replica.advance(0);
    replica.takeRequests();
    return replica;
  }

  add(...numbers: readonly number[]): void {
    for (const number of numbers) this.writer.log.add(entryAt(number));
    this.writer.changed();
  }

  async advance(ms: number): Promise<void> {
    await this.#world.clock.advance(ms);
    await this.#world.clock.settle();
  }

  get pendingTimers(): number {
    return this.#world.clock.pendingTimers;
  }

  /** The restarts that it knows, newest first. */
  get known(): readonly number[] {
    return numbersOf(this.writer.log.read().entries);
  }

  /** Its requests since this was called last. */
  takeRequests(): readonly string[] {
    return this.#world.transport.requests.splice(0).map((request) => `${request.method} ${segmentOf(request)}`);
  }

  /** Its log lines since this was called last. */
  takeLines(): readonly string[] {
    return this.#world.logger.lines.splice(0).map(({ level, message }) => `${level}: ${message}`);
  }
}

/** The number of the segment that a request is about. */
function segmentOf({ path, body }: HttpRequest): string {
  return /reroll-history-(\d)/.exec(path + (body?.toString() ?? ''))?.[1] ?? '';
}

async function carriedOut(request: HttpRequest): Promise<Reply> {
  return await cluster.handler()(request, 0);
}

function textOf(index: number): string {
  const data = cluster.objects.get(pathOf(index))?.['data'] as { readonly restarts: string } | undefined;
  return data?.restarts ?? '';
}

/** The restarts that a leader would read, in the order in which they were added. */
function stored(): readonly number[] {
  return numbersOf(historyOf(indices.map((index) => checkedSegment(textOf(index)))).entries);
}

function lineCount(): number {
  return indices.map(textOf).join('').split('\n').length - 1;
}

function numbersOf(entries: readonly { readonly id: string }[]): readonly number[] {
  return entries.map(({ id }) => Number.parseInt(id, 16));
}

function seed(index: number, restarts: string): void {
  const metadata = { name: `reroll-history-${index}`, namespace: 'reroll' };
  cluster.put(pathOf(index), { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { restarts } });
}

const cannotWrite = 'cannot write the history of restarts; trying again';

describe('a writer', () => {
  it('reads when its term begins, writes many lines at once some seconds later, and nothing while nothing happens', async () => {
    const leader = new Replica();
    leader.writer.begin();
    await leader.advance(60 * minuteMs);
    expect(leader.takeRequests()).toEqual(indices.map((index) => `GET ${index}`));
    expect(leader.reads).toBe(1);
    leader.add(1, 2);
    await leader.advance(batchMs - 1_000);
    leader.add(3);
    expect(leader.takeRequests()).toEqual([]);
    await leader.advance(1_000);
    expect(leader.takeRequests()).toEqual(['POST 0']);
    expect(stored()).toEqual([1, 2, 3]);
    expect(leader.pendingTimers).toBe(0);
  });

  it('keeps what comes before the history of earlier leaders is read', async () => {
    seed(0, writtenLine(entryAt(1)));
    const leader = new Replica();
    leader.writer.begin();
    leader.add(2);
    await leader.advance(0);
    expect(leader.known).toEqual([2, 1]);
    expect(stored()).toEqual([1, 2]);
  });

  it('writes a line that comes during a write some seconds later', async () => {
    const leader = await Replica.leading();
    leader.fault = ofWrites(() => {
      leader.fault = none;
      leader.add(2);
      return undefined;
    });
    leader.add(1);
    await leader.advance(batchMs);
    expect(stored()).toEqual([1]);
    await leader.advance(batchMs);
    expect(stored()).toEqual([1, 2]);
  });

  it('without a store has a history at once, and asks nobody', async () => {
    const leader = new Replica({ isInMemory: true });
    leader.writer.begin();
    expect(leader.reads).toBe(1);
    leader.add(1);
    await leader.advance(minuteMs);
    await leader.writer.flush();
    expect([leader.takeRequests(), leader.pendingTimers]).toEqual([[], 0]);
  });
});

describe('a write that finds another state', () => {
  it('merges what another replica has written, if both created the segment or wrote it', async () => {
    const [first, second] = [await Replica.leading(), await Replica.leading()];
    for (const [replica, number] of [
      [first, 1],
      [second, 2],
      [first, 3],
      [second, 4],
    ] as const) {
      replica.add(number);
      await replica.advance(minuteMs);
    }
    expect(stored()).toEqual([1, 2, 3, 4]);
    expect(lineCount()).toBe(4);
    expect([first.known, second.known]).toEqual([
      [3, 2, 1],
      [4, 3, 2, 1],
    ]);
    expect([...first.takeLines(), ...second.takeLines()]).toEqual([]);
  });

  it('writes no line twice if the answer to a write was lost', async () => {
    const leader = await Replica.leading();
    for (const number of [1, 2]) {
      leader.fault = ofWrites(async (request) => {
        leader.fault = none;
        await carriedOut(request);
        throw new ConnectionError('read ECONNRESET');
      });
      leader.add(number);
      await leader.advance(minuteMs);
      expect(leader.takeLines()).toEqual([`warn: ${cannotWrite}`]);
    }
    expect(stored()).toEqual([1, 2]);
    expect(lineCount()).toBe(2);
    expect(leader.pendingTimers).toBe(0);
  });

  it('adds to a backup of etcd what it lacks', async () => {
    const leader = await Replica.leading();
    leader.add(1);
    await leader.advance(minuteMs);
    const backup = cluster.objects.get(pathOf(0))!;
    leader.add(2);
    await leader.advance(minuteMs);
    cluster.objects.set(pathOf(0), backup);
    leader.add(3);
    await leader.advance(minuteMs);
    expect(stored()).toEqual([1, 2, 3]);
    expect(leader.takeLines()).toEqual([]);
  });

  it('creates again what somebody deleted, and what a backup of etcd does not have', async () => {
    const leader = await Replica.leading();
    leader.writer.log.add({ keptSince: entryAt(0).at });
    leader.add(1);
    await leader.advance(minuteMs);
    cluster.objects.clear();
    leader.add(2);
    await leader.advance(minuteMs);
    expect(stored()).toEqual([1, 2]);
    expect(historyOf([textOf(0)]).keptSince).toBe(entryAt(0).at);
    expect(leader.takeLines()).toEqual([]);
    expect(leader.pendingTimers).toBe(0);
  });
});

describe('a write that is refused', () => {
  it.each([
    ['is too large for the API server', (): Reply => refusal(413, 'RequestEntityTooLarge')],
    [
      'exceeds a quota',
      (): Reply => refusal(403, 'Forbidden', 'configmaps "reroll-history-0" is forbidden: exceeded quota'),
    ],
    ['has no namespace any more', (): Reply => refusal(404, 'NotFound', 'namespaces "reroll" not found')],
  ])('because it %s is tried again each minute at most, and told of once', async (_what, refused) => {
    const leader = await Replica.leading();
    leader.fault = ofWrites(refused);
    leader.add(1);
    await leader.advance(10 * minuteMs);
    const attempts = leader.takeRequests().length;
    expect(attempts).toBeGreaterThan(9);
    expect(leader.takeLines()).toEqual([
      `warn: ${cannotWrite}`,
      ...Array.from({ length: attempts - 1 }, () => `debug: ${cannotWrite}`),
    ]);
    expect([leader.known, leader.refusals]).toEqual([[1], 0]);
    leader.fault = none;
    await leader.advance(minuteMs);
    expect(stored()).toEqual([1]);
    leader.fault = ofWrites(refused);
    leader.add(2);
    await leader.advance(batchMs);
    expect(leader.takeLines()).toEqual([`warn: ${cannotWrite}`]);
  });

  it('for want of a right is asked for now and then, and the history is in memory until it is granted', async () => {
    const leader = await Replica.leading();
    leader.fault = ofWrites(forbidden);
    leader.add(1);
    await leader.advance(batchMs);
    expect([leader.refusals, leader.reads]).toEqual([1, 1]);
    leader.takeRequests();
    await leader.advance(9 * minuteMs);
    leader.add(2);
    expect([leader.known, leader.takeRequests(), leader.takeLines()]).toEqual([[2, 1], [], []]);
    leader.fault = none;
    await leader.advance(minuteMs);
    expect(stored()).toEqual([1, 2]);
  });

  it('does not keep a leader without the right to read from having a history', async () => {
    seed(0, writtenLine(entryAt(1)));
    const leader = new Replica();
    leader.fault = forbidden;
    leader.writer.begin();
    await leader.advance(0);
    expect([leader.refusals, leader.reads]).toEqual([1, 1]);
    leader.add(2);
    await leader.advance(minuteMs);
    expect(leader.known).toEqual([2]);
    leader.fault = none;
    await leader.advance(10 * minuteMs);
    expect(leader.known).toEqual([2, 1]);
    expect(stored()).toEqual([1, 2]);
  });
});

describe('a full history', () => {
  /** Fills the segments until the next line makes room, and returns the number of that line. */
  async function filled(leader: Replica): Promise<number> {
    const { log } = leader.writer;
    let number = 1;
    const size = writtenLine(entryAt(number)).length;
    const perSegment = Math.floor(budgets.historySegmentBytes / size);
    for (; number <= perSegment * budgets.historySegments; number++) log.add(entryAt(number));
    leader.writer.changed();
    await leader.advance(batchMs);
    expect(stored()).toHaveLength(number - 1);
    leader.takeRequests();
    return number;
  }

  it('is written anew within its bound, the first segment first', async () => {
    const leader = await Replica.leading();
    const number = await filled(leader);
    leader.add(number);
    await leader.advance(batchMs);
    expect(leader.takeRequests()).toEqual(indices.map((index) => `PUT ${index}`));
    expect(Math.max(...indices.map((index) => Buffer.byteLength(textOf(index))))).toBeLessThanOrEqual(
      budgets.historySegmentBytes,
    );
    expect(stored()).toEqual(leader.known.toReversed());
    expect(stored().at(-1)).toBe(number);
    expect(stored().length).toBeGreaterThan(number * 0.7);
    expect(historyOf(indices.map(textOf)).keptSince).toBe(entryAt(number - stored().length).at);
  });

  it('begins with the first segment again if room is made during the write, so that a crash loses nothing', async () => {
    const leader = await Replica.leading();
    let number = await filled(leader);
    leader.add(number);
    let isRotating = true;
    leader.fault = ofWrites((request) => {
      // Thousands of restarts, while one segment of the first rotation is written.
      if (isRotating && segmentOf(request) === '2') {
        isRotating = false;
        for (let count = 0; count < 1_500; count++) leader.writer.log.add(entryAt(++number));
      }
      return undefined;
    });
    await leader.advance(batchMs);
    expect(leader.takeRequests()).toEqual(['PUT 0', 'PUT 1', 'PUT 2']);
    await leader.advance(batchMs);
    expect(leader.takeRequests()).toEqual(indices.map((index) => `PUT ${index}`));
    expect(stored()).toEqual(leader.known.toReversed());
  });
});

describe('a term that ends during a write', () => {
  it.each([
    ['before the API server has it', async (): Promise<Reply> => await noAnswer(), [1, 2]],
    [
      'after the API server has it',
      async (request: HttpRequest): Promise<Reply> => {
        await carriedOut(request);
        return await noAnswer();
      },
      [1, 9, 2],
    ],
  ])('%s does not hold up the next', async (_when, fault, expected) => {
    seed(0, writtenLine(entryAt(1)));
    const leader = await Replica.leading();
    leader.fault = ofWrites(fault);
    leader.add(9);
    await leader.advance(batchMs);
    leader.writer.end();
    await leader.advance(0);
    expect([leader.known, leader.pendingTimers]).toEqual([[], 0]);
    leader.fault = none;
    leader.writer.begin();
    leader.add(2);
    await leader.advance(0);
    expect(stored()).toEqual(expected);
    await leader.advance(10 * minuteMs);
    expect(stored()).toEqual(expected);
    expect(leader.takeLines()).toEqual([]);
  });

  it('leaves the other segments to the next leader', async () => {
    const leader = await Replica.leading();
    leader.fault = ofWrites(() => {
      leader.writer.end();
      return undefined;
    });
    for (let number = 0; number < 1_000; number++) leader.writer.log.add(entryAt(number));
    expect(leader.writer.log.unwritten.length).toBeGreaterThan(1);
    leader.writer.changed();
    await leader.advance(minuteMs);
    expect(leader.takeRequests()).toEqual(['POST 0']);
  });

  it('is not taken for the failure of the next', async () => {
    const leader = await Replica.leading();
    leader.fault = ofWrites(() => {
      leader.writer.end();
      leader.writer.begin();
      return refusal(500, 'InternalError');
    });
    leader.add(1);
    await leader.advance(batchMs);
    expect(leader.takeLines()).toEqual([]);
    expect(leader.reads).toBe(2);
  });
});

describe('the end of a process', () => {
  it('writes what is left, at once', async () => {
    const leader = await Replica.leading();
    leader.add(1);
    await leader.writer.flush();
    expect(stored()).toEqual([1]);
    expect([leader.known, leader.pendingTimers]).toEqual([[], 0]);
  });

  it('waits for the write in progress, and writes what came since', async () => {
    const leader = await Replica.leading();
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    leader.fault = ofWrites(async (request) => {
      leader.fault = none;
      await held;
      return await carriedOut(request);
    });
    leader.add(1);
    await leader.advance(batchMs);
    leader.add(2);
    const end = leader.writer.flush();
    expect(stored()).toEqual([]);
    answer();
    await end;
    expect(stored()).toEqual([1, 2]);
  });

  it.each([
    ['from now on', 0],
    ['since the write in progress', batchMs],
  ])('does not wait longer than three seconds for an API server that hangs %s', async (_since, afterMs) => {
    const leader = await Replica.leading();
    leader.add(1);
    leader.fault = ofWrites(noAnswer);
    await leader.advance(afterMs);
    let hasEnded = false;
    const end = leader.writer.flush().then(() => (hasEnded = true));
    await leader.advance(2_999);
    expect(hasEnded).toBe(false);
    await leader.advance(1);
    await end;
    expect(leader.pendingTimers).toBe(0);
  });

  it('tries once more what has failed: the API server may answer by now', async () => {
    const leader = await Replica.leading();
    leader.fault = ofWrites(() => refusal(500, 'InternalError'));
    leader.add(1);
    await leader.advance(2 * minuteMs);
    leader.fault = none;
    leader.takeRequests();
    await leader.writer.flush();
    expect(leader.takeRequests()).toEqual(['POST 0']);
    expect(stored()).toEqual([1]);
    expect(leader.pendingTimers).toBe(0);
  });

  it('ends also if that fails again', async () => {
    const leader = await Replica.leading();
    leader.fault = ofWrites(() => refusal(500, 'InternalError'));
    leader.add(1);
    await leader.advance(batchMs);
    leader.takeRequests();
    await leader.writer.flush();
    await leader.advance(minuteMs);
    expect([leader.takeRequests(), leader.pendingTimers]).toEqual([['POST 0'], 0]);
  });

  it('writes nothing before the history of earlier leaders is read, nor outside of a term', async () => {
    seed(0, writtenLine(entryAt(1)));
    const replica = new Replica();
    await replica.writer.flush();
    replica.writer.begin();
    replica.add(2);
    await replica.writer.flush();
    await replica.advance(minuteMs);
    expect(replica.takeRequests()).toEqual([]);
    expect(stored()).toEqual([1]);
  });
});
