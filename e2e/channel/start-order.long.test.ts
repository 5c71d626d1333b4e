import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Collector, drawn } from '../collector';
import type { LogEntry, RerollProcess } from '../reroll-process';
import type { Room } from './deployed-rights';
import { Rooms } from './rooms.fixture';

let rooms: Rooms;
let collector: Collector;

beforeEach(async () => {
  rooms = await Rooms.open();
  collector = await Collector.open();
});

afterEach(async () => {
  await rooms.close();
  collector.close();
});

async function said(running: RerollProcess, message: string, field?: string, value?: string): Promise<LogEntry> {
  return await running.line(
    (entry) => entry.message === message && (field === undefined || entry[field] === value),
    60_000,
  );
}

/** Waits until the rooms have found each other, so that the author of the next edit is known. */
async function joined({ reconciler, webhook, certs }: Readonly<Record<Room, RerollProcess>>): Promise<void> {
  await said(reconciler, 'the certificate of the change channel is in use');
  await said(reconciler, 'Deployment default/web: baseline recorded; nothing restarted');
  await said(webhook, 'certificate loaded', 'certificate', 'webhook');
  await said(webhook, 'certificate loaded', 'certificate', 'client');
  rooms.addReplica(Number((await said(reconciler, 'listening for change records'))['port']));
  const address = String((await said(webhook, 'serving admission reviews'))['address']);
  rooms.addWebhook(Number(address.split(':').at(-1)));
  await said(certs, 'caBundle and path written');
  const metrics = String((await said(webhook, 'serving metrics and probes'))['address']);
  for (;;) {
    const text = await (await fetch(`http://${metrics}/metrics`)).text();
    if (text.includes('reroll_channel_replicas 1')) return;
  }
}

const orders: readonly (readonly [Room, Room, Room])[] = [
  ['webhook', 'reconciler', 'certs'],
  ['certs', 'reconciler', 'webhook'],
];

it.each(orders)(
  'started in the order %s, %s, %s the rooms find one another, and an edit has its author, and one trace of both',
  async (...order) => {
    const running = new Map<Room, RerollProcess>();
    for (const room of order) {
      const flags = room === 'certs' ? [] : [`--otlp-endpoint=${collector.url}`];
      running.set(room, await rooms.run(room, ...flags));
      // A process waits for what is missing. It must not have exited by the time the next one starts.
      await said(running.get(room)!, 'started');
    }
    const all = Object.fromEntries(running) as Record<Room, RerollProcess>;
    await joined(all);
    await rooms.edit({ color: 'blue' });
    expect(await said(all.reconciler, 'Deployment default/web restarted')).toMatchObject({
      because: ['ConfigMap app: content changed (keys: color) by alice (kubectl)'],
      users: ['alice'],
    });
    const spans = await collector.received('admit ConfigMap', 'write Deployment');
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    const [admitted, ...rest] = drawn(spans);
    expect(admitted).toBe('admit ConfigMap (reroll-webhook)');
    // The watch may show the change before the webhook delivers its record.
    expect(rest.toSorted()).toEqual(
      [
        ...['  deliver (reroll-webhook)', '  restart Deployment (reroll-reconciler)'],
        ...['    settle (reroll-reconciler)', '    write Deployment (reroll-reconciler)'],
      ].toSorted(),
    );
  },
  90_000,
);
