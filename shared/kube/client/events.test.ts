import { describe, expect, it } from '@jest/globals';
import { systemRandom } from '../../runtime/random';
import type { ClientWorld } from './client.fixture';
import { bodyOf, clientWorld, zeroRandom } from './client.fixture';
import type { KubeEvent } from './events';
import { EventRecorder } from './events';
import type { Reply } from '../transport/fake-transport';
import { noAnswer, refusal } from '../transport/fake-transport';

const regarding = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u1' };
const reloaded: KubeEvent = { regarding, type: 'Normal', reason: 'Reloaded', message: 'configmap app changed' };
const failed: KubeEvent = { regarding, type: 'Warning', reason: 'ReloadFail', message: 'forbidden' };

const created: Reply = { body: { metadata: { name: 'e', uid: 'u', resourceVersion: '1' } } };

function recorder(
  handler: () => Reply | Promise<Reply> = () => created,
  random = zeroRandom,
): ClientWorld & { events: EventRecorder } {
  const world = clientWorld(handler);
  const events = new EventRecorder({ ...world, random, component: 'reroll', instance: 'reroll-0' });
  return { ...world, events };
}

describe('EventRecorder', () => {
  it('writes a core/v1 Event about the object', async () => {
    const { events, transport } = recorder();
    await events.record(reloaded);
    expect(transport.requests[0]).toMatchObject({
      method: 'POST',
      path: '/api/v1/namespaces/shop/events?fieldManager=reroll',
    });
    expect(bodyOf(transport.requests[0])).toEqual({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'web.0000000000000000', namespace: 'shop' },
      involvedObject: regarding,
      type: 'Normal',
      reason: 'Reloaded',
      message: 'configmap app changed',
      source: { component: 'reroll' },
      reportingComponent: 'reroll',
      reportingInstance: 'reroll-0',
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      count: 1,
    });
  });

  it('waits until the API server is idle, and keeps the time of the occurrence', async () => {
    const world = clientWorld(() => created);
    let goOn: () => void = () => undefined;
    const whenIdle = async (): Promise<void> => await new Promise((resolve) => (goOn = resolve));
    const events = new EventRecorder({ ...world, random: zeroRandom, component: 'reroll', instance: 'r', whenIdle });
    const recorded = events.record(reloaded);
    await world.clock.advance(3_000);
    expect(world.transport.requests).toEqual([]);
    goOn();
    await recorded;
    expect(bodyOf(world.transport.requests[0])).toMatchObject({ firstTimestamp: '2026-01-01T00:00:00Z' });
  });

  it('waits at most five seconds, including the wait for earlier Events', async () => {
    const world = clientWorld(() => created);
    const waits: number[] = [];
    const whenIdle = async (maxMs: number): Promise<void> => {
      waits.push(maxMs);
      await new Promise<void>((resolve) => world.clock.timer(maxMs, resolve));
    };
    const events = new EventRecorder({ ...world, random: zeroRandom, component: 'reroll', instance: 'r', whenIdle });
    const recorded = [1, 2, 3, 4].map(async () => await events.record(reloaded));
    await world.clock.advance(4_999);
    expect(world.transport.requests).toEqual([]);
    await world.clock.advance(1);
    await Promise.all(recorded);
    expect(waits).toEqual([5_000, 5_000, 0, 0]);
    expect(world.transport.requests).toHaveLength(4);
  });

  it('writes two at a time, in order, leaving the other connections to restarts', async () => {
    const answers: (() => void)[] = [];
    const { events, transport, clock } = recorder(
      async () => await new Promise((resolve) => answers.push(() => resolve(created))),
    );
    const recorded = ['a', 'b', 'c'].map(async (message) => await events.record({ ...reloaded, message }));
    await clock.settle();
    expect(transport.requests).toHaveLength(2);
    answers.shift()?.();
    await clock.settle();
    const messages = transport.requests.map((request) => (bodyOf(request) as { message: string }).message);
    expect(messages).toEqual(['a', 'b', 'c']);
    for (const answer of answers) answer();
    await Promise.all(recorded);
  });

  it('gives each Event a unique, valid name', async () => {
    const { events, transport } = recorder(() => created, systemRandom);
    const name = `${'a'.repeat(235)}.${'b'.repeat(17)}`;
    await events.record({ ...reloaded, regarding: { ...regarding, name } });
    await events.record({ ...reloaded, regarding: { ...regarding, name } });
    const names = transport.requests.map(
      (request) => (bodyOf(request) as { metadata: { name: string } }).metadata.name,
    );
    expect(new Set(names).size).toBe(2);
    for (const one of names) {
      expect(one.length).toBeLessThanOrEqual(253);
      expect(one).toMatch(/^a+\.[0-9a-f]{16}$/);
    }
  });

  it.each(['x', 'é', '€', '😀'])('cuts a message of %s to 1024 bytes between characters', async (character) => {
    for (const shift of ['', '.', '..', '...']) {
      const { events, transport } = recorder();
      await events.record({ ...reloaded, message: shift + character.repeat(2000) });
      const { message } = bodyOf(transport.requests[0]) as { message: string };
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
      expect(Buffer.byteLength(message)).toBeGreaterThan(1016);
      expect(message).toMatch(/…$/);
      expect(message).not.toContain('\ufffd');
    }
  });

  it('lets no name in its message forge a line, control a terminal or hide', async () => {
    const { events, transport } = recorder();
    await events.record({ ...reloaded, message: 'by a\n\u001b[2J[forged]\u202e' });
    expect(bodyOf(transport.requests[0])).toMatchObject({ message: String.raw`by a\n\u001b[2J[forged]\u202e` });
  });

  it('writes the same warning about the same object once in five minutes', async () => {
    const { events, transport, clock } = recorder();
    await events.record(failed);
    await events.record(failed);
    expect(transport.requests).toHaveLength(1);
    await events.record({ ...failed, message: 'conflict' });
    await events.record({ ...failed, regarding: { ...regarding, uid: 'u2' } });
    await events.record({ ...failed, reason: 'OverBudget' });
    expect(transport.requests).toHaveLength(4);
    await clock.advance(5 * 60_000);
    await events.record(failed);
    expect(transport.requests).toHaveLength(5);
  });

  it('writes every restart', async () => {
    const { events, transport } = recorder();
    await events.record(reloaded);
    await events.record(reloaded);
    expect(transport.requests).toHaveLength(2);
  });

  it('logs a refused Event, never throws, and may write it again', async () => {
    const { events, transport, logger } = recorder(() => refusal(403, 'Forbidden'));
    await events.record(failed);
    await events.record(failed);
    expect(transport.requests).toHaveLength(2);
    expect(logger.lines[0]).toMatchObject({ level: 'warn', fields: { object: 'shop/web', reason: 'ReloadFail' } });
    expect(logger.lines[0]?.fields['error']).toMatch(/"create" on resource "events"/);
  });

  it('drops and counts Events beyond the limit while the server does not answer', async () => {
    const { events, transport, clock } = recorder(noAnswer);
    const elsewhere = { ...reloaded, regarding: { ...regarding, namespace: 'pay' } };
    const record = (): void => void events.record(reloaded);
    for (let count = 0; count < 2_050; count++) record();
    for (let count = 0; count < 2_052; count++) void events.record(elsewhere);
    await clock.settle();
    expect(events.dropped).toBe(6);
    // Two writes have timed out, so there is room for two more Events.
    await clock.advance(30_000);
    expect(transport.requests).toHaveLength(4);
    for (let count = 0; count < 3; count++) record();
    expect(events.dropped).toBe(7);
  });

  it('limits the Events of one namespace', async () => {
    const { events, clock } = recorder(noAnswer);
    for (let count = 0; count < 2_060; count++) void events.record(reloaded);
    await clock.settle();
    // Two of the Events are being written.
    expect(events.dropped).toBe(10);
    void events.record({ ...reloaded, regarding: { ...regarding, namespace: 'pay' } });
    expect(events.dropped).toBe(10);
  });

  it('limits the Events of restarts that wait, so that those of restarts find room', async () => {
    const { events, clock } = recorder(noAnswer);
    const deferred = { ...reloaded, reason: 'ReloadDeferred' as const };
    for (let count = 0; count < 300; count++) void events.record(deferred);
    await clock.settle();
    expect(events.dropped).toBe(300 - 256 - 2);
    void events.record(reloaded);
    expect(events.dropped).toBe(42);
    await clock.advance(30_000);
    for (let count = 0; count < 3; count++) void events.record(deferred);
    expect(events.dropped).toBe(43);
  });

  it('keeps only as much of a message as it writes', async () => {
    const { events, transport } = recorder();
    await events.record({ ...reloaded, message: 'x'.repeat(100_000) });
    expect(bodyOf(transport.requests[0])).toMatchObject({ message: expect.stringMatching(/^x{1000,1021}…$/) });
  });

  it('writes before its process ends what it can in a second, and counts the rest', async () => {
    const answers: (() => void)[] = [];
    const { events, transport, clock, logger } = recorder(
      async () => await new Promise((resolve) => answers.push(() => resolve(created))),
    );
    const recorded = ['a', 'b', 'c', 'd', 'e'].map(async (message) => await events.record({ ...reloaded, message }));
    await clock.settle();
    let isStopped = false;
    const stopped = events.stop().then(() => (isStopped = true));
    for (const answer of answers.splice(0)) answer();
    await clock.advance(999);
    expect([transport.requests.length, isStopped]).toEqual([4, false]);
    await clock.advance(1);
    await stopped;
    expect(events.dropped).toBe(1);
    expect(logger.lines.at(-1)).toMatchObject({ level: 'warn', fields: { events: 1 } });
    for (const answer of answers.splice(0)) answer();
    await Promise.all(recorded);
    expect(transport.requests).toHaveLength(4);
  });

  it('lets its process end as soon as all are written', async () => {
    const { events, transport, clock } = recorder();
    void events.record(reloaded);
    await events.stop();
    await events.stop();
    expect(transport.requests).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });
});
