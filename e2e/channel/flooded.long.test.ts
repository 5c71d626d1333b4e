import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import {
  decodeTokens,
  tokenPath,
  webhookTokenKey,
  webhookTokenSecretName,
} from '../../shared/domain/protocol/webhook-token';
import { stringAt } from '../apiserver/json';
import { secretKind } from '../apiserver/resources';
import { processUsage } from '../bench/process-usage';
import type { RerollProcess } from '../reroll-process';
import { ownNamespace, Rooms } from './rooms.fixture';

/** The memory limit that the chart sets for a process. */
const memoryLimitMiB = 256;

let rooms: Rooms;
let webhook: RerollProcess;
let webhookPort: number;
let probePort: number;
const sockets: Socket[] = [];

async function portOf(running: RerollProcess, message: string): Promise<number> {
  const { address } = await running.line((entry) => entry.message === message, 60_000);
  return Number(String(address).split(':').at(-1));
}

beforeAll(async () => {
  rooms = await Rooms.open();
  await rooms.run('certs');
  webhook = await rooms.runShipped('webhook');
  webhookPort = await portOf(webhook, 'serving admission reviews');
  probePort = await portOf(webhook, 'serving metrics and probes');
  await webhook.line(({ message }) => message === 'tokens of callers loaded', 60_000);
  while ((await probe('/readyz')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
}, 120_000);

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

afterAll(async () => await rooms.close());

async function probe(
  path: string,
): Promise<{ readonly status: number; readonly text: string; readonly tookMs: number }> {
  const startMs = performance.now();
  const answer = await fetch(`http://127.0.0.1:${probePort}${path}`, { headers: { connection: 'close' } });
  const text = await answer.text();
  return { status: answer.status, text, tookMs: performance.now() - startMs };
}

function residentMiB(): number {
  return processUsage(webhook.pid ?? 0).residentBytes / 1024 / 1024;
}

/** The path in the webhook registrations, with the token that `reroll certs` stores in the Secret. */
function path(): string {
  const stored = rooms.server.registry.get(secretKind, ownNamespace, webhookTokenSecretName);
  const text = Buffer.from(stringAt(stored, 'data', webhookTokenKey) ?? '', 'base64').toString();
  return tokenPath('validate', decodeTokens(text).at(-1)?.token ?? '');
}

/** Calls the webhook over a new connection. Resolves with status and response text; a cut connection is status 0. */
async function call(to: string, body: Buffer): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  const agent = new Agent({ rejectUnauthorized: false });
  return await new Promise((resolve) => {
    const where = { host: '127.0.0.1', port: webhookPort, path: to, method: 'POST', agent, headers };
    const outgoing = request(where, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      incoming.on('error', () => undefined);
      incoming.on('close', () => resolve({ status: incoming.statusCode ?? 0, text }));
    });
    outgoing.on('error', () => resolve({ status: 0, text: '' }));
    outgoing.end(body);
  });
}

function review(filler: string): Buffer {
  const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
  const written = { uid: 'u', kind, operation: 'CREATE', namespace: 'default', name: 'q', userInfo: { username: 'x' } };
  const request = { ...written, object: { metadata: { name: 'q' }, data: {}, filler: ['@'] }, oldObject: null };
  const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  return Buffer.from(JSON.stringify(body).replace('"@"', filler));
}

const size = 6_900_000;

/**
 * Expects each review to be allowed. The webhook may answer before a review has arrived in full, and then cut its
 * connection.
 */
async function survives(body: Buffer): Promise<void> {
  for (let round = 0; round < 2; round++) {
    const answers = await Promise.all(Array.from({ length: 4 }, async () => await call(path(), body)));
    for (const { status, text } of answers) {
      expect([0, 200]).toContain(status);
      if (status === 200) expect(text).toContain('"allowed":true');
    }
  }
  expect(await call(path(), review('1'))).toMatchObject({ status: 200 });
  expect(residentMiB()).toBeLessThan(memoryLimitMiB);
}

it('survives reviews that take a hundred times their bytes once they are parsed, four at a time', async () => {
  const body = review('{},'.repeat(size / 3).slice(0, -1));
  await survives(body);
  expect((await probe('/metrics')).text).toMatch(/reroll_webhook_shed_total\{reason="(values|bytes|deadline)"\} [1-9]/);
}, 60_000);

it('survives reviews that are as large as they may be, four at a time', async () => {
  // One character is not Latin, so the parser stores two bytes for each character of the unescaped string.
  const body = review(JSON.stringify(`Ж${'"'.repeat(size / 2)}`));
  await survives(body);
}, 60_000);

it('does not take the bodies of who knows no token', async () => {
  const body = review('{},'.repeat(size / 3).slice(0, -1));
  const before = residentMiB();
  for (let round = 0; round < 4; round++) {
    const answers = await Promise.all(
      Array.from({ length: 4 }, async () => await call(tokenPath('validate', '0'.repeat(64)), body)),
    );
    // A client that is still sending when the answer comes may see its connection cut instead.
    for (const { status } of answers) expect([0, 404]).toContain(status);
  }
  expect(residentMiB() - before).toBeLessThan(30);
}, 60_000);

it('has room for an API server behind 540 connections that never call', async () => {
  for (let index = 0; index < 540; index++) {
    const from = { port: webhookPort, host: '127.0.0.1', localAddress: `127.0.0.${2 + (index % 2)}` };
    const socket = index % 3 === 0 ? connectTls({ ...from, rejectUnauthorized: false }) : connect(from);
    socket.on('error', () => undefined);
    sockets.push(socket);
    await once(socket, index % 3 === 0 ? 'secureConnect' : 'connect');
  }
  expect(await call(path(), review('1'))).toMatchObject({ status: 200 });
}, 60_000);

it('keeps its memory, and answers probes, while 2,000 requests begin on the port of metrics and never end', async () => {
  const before = residentMiB();
  while (sockets.length < 2_000) {
    await Promise.all(
      Array.from({ length: 200 }, async () => {
        const socket = connect({
          port: probePort,
          host: '127.0.0.1',
          localAddress: `127.0.0.${2 + (sockets.length % 3)}`,
        });
        socket.on('error', () => undefined);
        sockets.push(socket);
        await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
        if (!socket.destroyed) socket.write(`GET /metrics HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(7_000)}`);
      }),
    );
    expect((await probe('/healthz')).status).toBe(200);
  }
  expect(residentMiB() - before).toBeLessThan(30);
}, 60_000);

it('answers probes while 30 scrape without end, and renders once a second for all of them', async () => {
  const forMs = 1_500;
  const untilMs = performance.now() + forMs;
  const scraped = new Set<string>();
  const scrapers = Array.from({ length: 30 }, async () => {
    while (performance.now() < untilMs) {
      const { text } = await probe('/metrics');
      scraped.add(text);
    }
  });
  while (performance.now() < untilMs) expect((await probe('/healthz')).status).toBe(200);
  await Promise.all(scrapers);
  // At most one rendering per second that has begun, whatever the number of scrapes.
  expect(scraped.size).toBeLessThanOrEqual(Math.ceil((performance.now() - untilMs + forMs) / 1_000) + 1);
}, 60_000);
