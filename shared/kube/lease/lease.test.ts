import { describe, expect, it } from '@jest/globals';
import type { Clock } from '../../runtime/clock';
import { FakeClock } from '../../runtime/fake-clock';
import { RecordingLogger } from '../../runtime/log/recording-logger';
import { zeroRandom } from '../client/client.fixture';
import { KubeClient } from '../client/client';
import { staticCredentials } from '../access/credentials';
import type { Reply } from '../transport/fake-transport';
import { FakeTransport, noAnswer, refusal } from '../transport/fake-transport';
import { LeaderElection } from './lease';
import type { HttpRequest } from '../transport';

interface Lease {
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    resourceVersion: string;
    labels?: Record<string, string>;
    annotations?: Readonly<Record<string, string>>;
    managedFields?: readonly { readonly manager: string; readonly time: string; readonly fieldsV1: object }[];
  };
  spec: Record<string, unknown>;
}

/** A server with one Lease and optimistic concurrency. */
class LeaseServer {
  lease: Lease | undefined;
  /** Hook that answers in place of the server; `store` returns the server's own answer. */
  intercept: (request: HttpRequest, store: () => Reply) => Reply | Promise<Reply> = (_request, store) => store();
  /** The server's clock; undefined: the server records no times. */
  nowMs: (() => number) | undefined;
  /** An admission webhook removes annotations. */
  stripsAnnotations = false;
  #version = 0;

  readonly transport = new FakeTransport((request) => this.intercept(request, () => this.#store(request)));

  /** A write by another process. */
  write(spec: Record<string, unknown>, annotations = this.lease?.metadata.annotations): void {
    const version = String(++this.#version);
    const time = this.nowMs && `${new Date(this.nowMs()).toISOString().slice(0, 19)}Z`;
    const managedFields = time !== undefined && { managedFields: [written('reroll', time, 'renewTime')] };
    this.lease = {
      metadata: {
        ...{ name: 'lock', namespace: 'ns', uid: 'u', resourceVersion: version },
        ...managedFields,
        ...(annotations && { annotations }),
      },
      spec,
    };
  }

  /** Sets the Lease back to `version`, as a restore from a backup does. */
  restore(version: number): void {
    this.#version = version;
    this.lease!.metadata.resourceVersion = String(version);
  }

  /** The versions go on from a higher number. */
  bump(by: number): void {
    this.#version += by;
  }

  #store(request: HttpRequest): Reply {
    const sent = JSON.parse(request.body?.toString() ?? '{}') as Lease;
    if (request.method === 'GET') return this.lease ? { body: structuredClone(this.lease) } : refusal(404, 'NotFound');
    if (request.method === 'POST' && this.lease) return refusal(409, 'AlreadyExists');
    if (request.method === 'PUT' && sent.metadata.resourceVersion !== this.lease?.metadata.resourceVersion) {
      return refusal(409, 'Conflict');
    }
    this.write(sent.spec, this.stripsAnnotations ? undefined : sent.metadata.annotations);
    return { body: structuredClone(this.lease!) };
  }
}

/** What the API server keeps of a write that set a field of `spec`. */
function written(manager: string, time: string, field: string) {
  return { manager, time, fieldsV1: { 'f:spec': { [`f:${field}`]: {} } } };
}

interface Process {
  readonly election: LeaderElection;
  readonly calls: string[];
  readonly logger: RecordingLogger;
}

function candidate(server: LeaseServer, clock: Clock, identity: string, options = {}): Process {
  const logger = new RecordingLogger();
  const client = new KubeClient({
    transport: server.transport,
    credentials: staticCredentials({}),
    clock,
    logger,
    userAgent: 'reroll/test',
  });
  const calls: string[] = [];
  const election = new LeaderElection({
    client,
    clock,
    random: zeroRandom,
    logger,
    namespace: 'ns',
    name: 'lock',
    identity,
    ...options,
  });
  election.start({
    onStartedLeading: (previous) => void calls.push(`started ${previous?.renewTimeMs ?? 'first'}`),
    onStoppedLeading: () => void calls.push('stopped'),
    onRestored: () => void calls.push('restored'),
  });
  return { election, calls, logger };
}

const startMs = Date.UTC(2026, 0, 1);

describe('LeaderElection', () => {
  it('creates the Lease, leads, and renews it', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const { election, calls } = candidate(server, clock, 'a');
    await clock.settle();
    expect(election.isLeader()).toBe(true);
    expect(calls).toEqual(['started first']);
    expect(server.lease?.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
    await clock.advance(60_000);
    expect(election.isLeader()).toBe(true);
    expect(server.lease?.spec).toMatchObject({
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:01:00.000000Z',
    });
    expect(calls).toHaveLength(1);
    await election.stop();
  });

  it('knows who leads, whoever it is', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const first = candidate(server, clock, 'a');
    expect(first.election.leader).toBeUndefined();
    await clock.settle();
    const second = candidate(server, clock, 'b');
    await clock.settle();
    expect([first.election.leader, second.election.leader]).toEqual(['a', 'a']);
    await first.election.stop();
    await clock.advance(5_000);
    expect(second.election.leader).toBe('b');
    await second.election.stop();
  });

  it('names nobody after its own term, though the Lease still names it', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const { election } = candidate(server, clock, 'a');
    await clock.settle();
    server.intercept = () => refusal(503, 'ServiceUnavailable');
    await clock.advance(10_000);
    expect(election.isLeader()).toBe(false);
    expect(server.lease?.spec['holderIdentity']).toBe('a');
    expect(election.leader).toBeUndefined();
    await election.stop();
  });

  it('tells when the Lease was last renewed by the clock of the server, which may be another than its own', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    server.nowMs = () => clock.nowMs() - 480_000;
    server.write({ holderIdentity: '', renewTime: new Date(startMs + 3_600_000).toISOString() });
    const { calls, election } = candidate(server, clock, 'a');
    await clock.settle();
    expect(calls).toEqual([`started ${startMs - 480_000}`]);
    await election.stop();
  });

  it('tells when Reloader last renewed the Lease that they share, and not when a former Reroll process wrote it', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    server.write({ holderIdentity: 'reloader', renewTime: new Date(startMs - 1_000).toISOString() });
    // The duration is as Reroll has set it a month ago, so that write is still among them.
    server.lease!.metadata.managedFields = [
      written('reroll', '2025-12-01T00:00:00Z', 'leaseDurationSeconds'),
      written('Reloader', '2025-12-31T23:59:58Z', 'renewTime'),
    ];
    const { calls, election } = candidate(server, clock, 'a');
    await clock.advance(20_000);
    expect(calls).toEqual([`started ${startMs - 2_000}`]);
    await election.stop();
  });

  it('renews with one request, and reads again only after a conflict', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const { election, calls } = candidate(server, clock, 'a');
    await clock.settle();
    const methods = (): string[] => server.transport.requests.splice(0).map(({ method }) => method);
    expect(methods()).toEqual(['GET', 'POST']);
    await clock.advance(6_000);
    expect(methods()).toEqual(['PUT', 'PUT', 'PUT']);
    server.write({ ...server.lease!.spec, note: 'touched by hand' });
    await clock.advance(2_000);
    expect(methods()).toEqual(['PUT', 'GET', 'PUT']);
    expect(calls).toHaveLength(1);
    await election.stop();
  });

  it('names a failure also just after another process was faster', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    server.intercept = ({ method }, store) => (method === 'POST' ? refusal(409, 'AlreadyExists') : store());
    const { election, logger } = candidate(server, clock, 'a');
    await clock.settle();
    const warnings = () => logger.lines.filter(({ level }) => level === 'warn');
    expect(warnings()).toEqual([]);
    server.intercept = () => refusal(503, 'ServiceUnavailable');
    await clock.advance(60_000);
    expect(warnings()).toMatchObject([{ message: 'lease not renewed, trying again' }]);
    await election.stop();
  });

  it('has one leader at a time, and the other takes over when the first is gone', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const a = candidate(server, clock, 'a');
    await clock.settle();
    const b = candidate(server, clock, 'b');
    await clock.advance(60_000);
    expect([a.election.isLeader(), b.election.isLeader()]).toEqual([true, false]);
    // a is cut off; b still reaches the server.
    server.intercept = (request, store) => (request.body?.includes('"a"') ? noAnswer() : store());
    await clock.advance(11_000);
    expect([a.election.isLeader(), b.election.isLeader()]).toEqual([false, false]);
    expect(a.calls).toEqual(['started first', 'stopped']);
    await clock.advance(8_000);
    expect([a.election.isLeader(), b.election.isLeader()]).toEqual([false, true]);
    expect(b.calls).toEqual([`started ${startMs + 60_000}`]);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    await Promise.all([a.election.stop(), b.election.stop()]);
  });

  it('never judges a Lease by the clock of its holder', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    server.write({ holderIdentity: 'other', leaseDurationSeconds: 15, renewTime: '1999-01-01T00:00:00.000000Z' });
    const { election } = candidate(server, clock, 'a');
    await clock.advance(14_000);
    expect(election.isLeader()).toBe(false);
    await clock.advance(4_000);
    expect(election.isLeader()).toBe(true);
    await election.stop();
  });

  it('waits for the duration that the holder has set', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    server.write({ holderIdentity: 'other', leaseDurationSeconds: 60, renewTime: '2026-01-01T00:00:00.000000Z' });
    const { election } = candidate(server, clock, 'a');
    await clock.advance(58_000);
    expect(election.isLeader()).toBe(false);
    await clock.advance(6_000);
    expect(election.isLeader()).toBe(true);
    await election.stop();
  });

  it('stops leading when its renewals hang, at the deadline counted from the last one that began', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const { election, calls } = candidate(server, clock, 'a');
    await clock.settle();
    server.intercept = noAnswer;
    await clock.advance(9_999);
    expect(election.isLeader()).toBe(true);
    await clock.advance(1);
    expect(election.isLeader()).toBe(false);
    expect(calls).toEqual(['started first', 'stopped']);
    server.intercept = (_request, store) => store();
    await election.stop();
  });

  it('knows without a timer that its term is over after a freeze', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const frozen = { skippedMs: 0 };
    const frozenClock: Clock = {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs() + frozen.skippedMs,
      timer: clock.timer.bind(clock),
    };
    const { election } = candidate(server, frozenClock, 'a');
    await clock.settle();
    expect(election.isLeader()).toBe(true);
    frozen.skippedMs = 20_000;
    expect(election.isLeader()).toBe(false);
    await election.stop();
  });

  it('starts a new term instead of prolonging an expired one by a late answer', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const frozen = { skippedMs: 0 };
    const frozenClock: Clock = {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs() + frozen.skippedMs,
      timer: clock.timer.bind(clock),
    };
    const { election, calls } = candidate(server, frozenClock, 'a');
    await clock.settle();
    const late: (() => void)[] = [];
    server.intercept = async (request, store) => {
      if (request.method === 'PUT') await new Promise<void>((resolve) => late.push(resolve));
      return store();
    };
    await clock.advance(2_000);
    frozen.skippedMs = 9_000;
    expect(election.isLeader()).toBe(false);
    // The late renewal began 9 s ago. Counted from its beginning, it would be valid for one more second.
    for (const answer of late) answer();
    await clock.settle();
    expect(election.isLeader()).toBe(false);
    server.intercept = (_request, store) => store();
    await clock.advance(4_000);
    expect(election.isLeader()).toBe(true);
    expect(calls).toEqual(['started first', 'stopped', `started ${startMs + 2_000}`]);
    await election.stop();
  });

  it('survives a renewal whose answer is lost', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const { election, calls } = candidate(server, clock, 'a');
    await clock.settle();
    let lost = 0;
    server.intercept = (request, store) => {
      const reply = store();
      if (request.method !== 'PUT' || lost++ > 0) return reply;
      throw new Error('read ECONNRESET');
    };
    await clock.advance(20_000);
    expect(lost).toBeGreaterThan(1);
    expect(election.isLeader()).toBe(true);
    expect(calls).toHaveLength(1);
    await election.stop();
  });

  it('does not begin a term that expired while it was being acquired', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const frozen = { skippedMs: 0 };
    const frozenClock: Clock = {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs() + frozen.skippedMs,
      timer: clock.timer.bind(clock),
    };
    server.intercept = (request, store) => {
      if (request.method === 'POST') frozen.skippedMs = 12_000;
      return store();
    };
    const { election, calls } = candidate(server, frozenClock, 'a');
    await clock.settle();
    expect(server.lease?.spec['holderIdentity']).toBe('a');
    expect(calls).toEqual([]);
    await election.stop();
  });

  it('ignores a renewal that is answered after its term ended', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const { election, calls } = candidate(server, clock, 'a', { renewDeadlineMs: 3_000, leaseDurationMs: 4_000 });
    await clock.settle();
    const late: (() => void)[] = [];
    server.intercept = async (request, store) => {
      if (request.method === 'PUT') await new Promise<void>((resolve) => late.push(resolve));
      return store();
    };
    await clock.advance(3_000);
    expect(calls).toEqual(['started first', 'stopped']);
    for (const answer of late) answer();
    await clock.settle();
    expect(election.isLeader()).toBe(false);
    server.intercept = (_request, store) => store();
    await election.stop();
  });

  it('stops at once when another holds the Lease, and keeps trying to acquire it', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const { election, calls } = candidate(server, clock, 'a');
    await clock.settle();
    server.write({ holderIdentity: 'thief', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:01.000000Z' });
    await clock.advance(2_000);
    expect(election.isLeader()).toBe(false);
    await clock.advance(20_000);
    expect(election.isLeader()).toBe(true);
    expect(calls).toEqual(['started first', 'stopped', `started ${startMs + 1_000}`]);
    await election.stop();
  });

  it('does not lead when another is faster', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    server.intercept = (request, store) => {
      if (request.method === 'POST') server.write({ holderIdentity: 'fast', leaseDurationSeconds: 15 });
      return store();
    };
    const { election, calls } = candidate(server, clock, 'a');
    await clock.advance(4_000);
    expect(election.isLeader()).toBe(false);
    expect(calls).toEqual([]);
    await election.stop();
  });

  it('tells an attempt for which another was faster as one that the server answered', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const failures: unknown[] = [];
    server.intercept = (request, store) => {
      if (request.method === 'POST') server.write({ holderIdentity: 'fast', leaseDurationSeconds: 15 });
      return store();
    };
    const { election } = candidate(server, clock, 'a', {
      onAttempt: (failure: unknown) => void failures.push(failure),
    });
    await clock.settle();
    expect(failures).toEqual([undefined]);
    await election.stop();
  });

  it('releases the Lease when it stops, so that another leads at once', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const a = candidate(server, clock, 'a');
    await clock.advance(4_000);
    await a.election.stop();
    expect(a.calls).toEqual(['started first', 'stopped']);
    expect(a.logger.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: '', renewTime: '2026-01-01T00:00:04.000000Z' });
    const b = candidate(server, clock, 'b');
    await clock.settle();
    expect(b.calls).toEqual([`started ${startMs + 4_000}`]);
    await b.election.stop();
  });

  it('releases a Lease whose last renewal, cut off by the stop, is carried out while it is being released', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const { election, logger } = candidate(server, clock, 'a');
    await clock.settle();
    server.intercept = async (_renewal, carryOut) => {
      server.intercept = (request, store) => {
        if (request.method === 'PUT') {
          server.intercept = (_request, store) => store();
          carryOut();
        }
        return store();
      };
      return await noAnswer();
    };
    await clock.advance(2_000);
    await election.stop();
    expect(server.lease?.spec['holderIdentity']).toBe('');
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('releases a Lease that it got in its last moment, although it never led', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const { election, calls } = candidate(server, clock, 'a');
    server.intercept = (request, store) => {
      const reply = store();
      return request.method === 'POST' ? noAnswer() : reply;
    };
    await clock.settle();
    expect(server.lease?.spec['holderIdentity']).toBe('a');
    await election.stop();
    expect(server.lease?.spec['holderIdentity']).toBe('');
    expect(calls).toEqual([]);
  });

  it('knows the previous holder even if the answer to its write was lost', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    server.write({ holderIdentity: 'other', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' });
    let lost = 0;
    server.intercept = (request, store) => {
      const reply = store();
      return request.method === 'PUT' && lost++ === 0 ? refusal(503, 'ServiceUnavailable') : reply;
    };
    const { election, calls } = candidate(server, clock, 'a');
    await clock.advance(60_000);
    expect(lost).toBeGreaterThan(1);
    expect(calls).toEqual([`started ${Date.UTC(2026, 0, 1)}`]);
    await election.stop();
  });

  it('waits for no other request to acquire, renew or release the Lease', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const { election } = candidate(server, clock, 'a');
    await clock.advance(4_000);
    await election.stop();
    const sent = server.transport.requests.map(({ method, pool }) => [method, pool]);
    expect(sent).toEqual(['GET', 'POST', 'PUT', 'PUT', 'GET', 'PUT'].map((method) => [method, 'urgent']));
  });

  it('does not touch the Lease of another when it stops', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    server.write({ holderIdentity: 'other', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' });
    const { election } = candidate(server, clock, 'a');
    await clock.advance(4_000);
    await election.stop();
    expect(server.lease?.spec['holderIdentity']).toBe('other');
    expect(clock.pendingTimers).toBe(0);
  });

  it('stops within its time limits without a server, and does nothing afterwards', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const { election, calls, logger } = candidate(server, clock, 'a');
    await clock.settle();
    server.intercept = noAnswer;
    const stopping = election.stop();
    expect(calls).toEqual(['started first', 'stopped']);
    await clock.advance(5_000);
    await stopping;
    expect(logger.lines.at(-1)?.message).toMatch(/it will expire/);
    const requests = server.transport.requests.length;
    await clock.advance(60_000);
    expect(server.transport.requests).toHaveLength(requests);
  });

  it('acquires a Lease that somebody edited into nonsense', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    server.write({ holderIdentity: 7, leaseDurationSeconds: 'x' });
    const { election, calls } = candidate(server, clock, 'a');
    await clock.settle();
    expect(calls).toEqual(['started first']);
    await election.stop();
  });

  it('retries at the configured interval', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const { election } = candidate(server, clock, 'a', { retryPeriodMs: 500, leaseDurationMs: 30_000 });
    await clock.advance(5_000);
    expect(server.transport.requests.filter((request) => request.method === 'PUT')).toHaveLength(10);
    expect(server.lease?.spec['leaseDurationSeconds']).toBe(30);
    await election.stop();
  });

  it('reports an older Lease at once to who asks, before the answer, and tells nothing of a newer one', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    for (let each = 0; each < 50; each++) server.write({});
    const { election, calls } = candidate(server, clock, 'a');
    await clock.advance(20_000);
    await election.checkRestored();
    server.write({ ...server.lease!.spec, note: 'touched by hand' });
    await election.checkRestored();
    expect(calls).toEqual(['started first']);
    server.restore(7);
    await election.checkRestored();
    expect(calls).toEqual(['started first', 'restored']);
    await election.checkRestored();
    await clock.advance(60_000);
    expect(calls).toEqual(['started first', 'restored']);
    await election.stop();
  });

  it('reports a Lease that is older than before, to leader and standby, and no other write', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    for (let each = 0; each < 50; each++) server.write({});
    const leader = candidate(server, clock, 'a');
    await clock.settle();
    const standby = candidate(server, clock, 'b');
    await clock.advance(20_000);
    server.write({ ...server.lease!.spec, note: 'touched by hand' });
    await clock.advance(20_000);
    expect([leader.calls, standby.calls]).toEqual([['started first'], []]);
    server.restore(7);
    await clock.advance(4_000);
    expect([leader.calls, standby.calls]).toEqual([['started first', 'restored'], ['restored']]);
    await clock.advance(60_000);
    expect(leader.election.isLeader()).toBe(true);
    expect(leader.calls).toHaveLength(2);
    await leader.election.stop();
    await standby.election.stop();
  });

  it.each([
    ['tells the standby of a restore that only the leader saw, as the versions went on', false, ['restored']],
    ['tells the leader once, if an admission webhook removes what the Lease is to tell', true, []],
  ])('%s', async (_what, stripsAnnotations, ofStandby) => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    server.stripsAnnotations = stripsAnnotations;
    for (let each = 0; each < 50; each++) server.write({});
    const leader = candidate(server, clock, 'a');
    await clock.settle();
    const standby = candidate(server, clock, 'b');
    await clock.advance(20_000);
    server.restore(7);
    await leader.election.checkRestored();
    // The next write gets a version beyond all that were there before.
    server.bump(1_000);
    await clock.advance(60_000);
    expect([leader.calls, standby.calls]).toEqual([['started first', 'restored'], ofStandby]);
    const later = candidate(server, clock, 'c');
    await clock.advance(20_000);
    expect(later.calls).toEqual([]);
    for (const { election } of [leader, standby, later]) await election.stop();
  });

  it('survives callbacks that throw', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const { election, calls, logger } = candidate(server, clock, 'a');
    calls.push = () => {
      throw new Error('bug');
    };
    await clock.advance(4_000);
    expect(election.isLeader()).toBe(true);
    expect(logger.lines.filter((line) => line.level === 'error')).toHaveLength(1);
    await election.stop();
  });
});
