import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { connect as connectTcp, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { stringify } from 'yaml';
import { selfSigned } from '../../shared/runtime/tls/tls.fixture';
import { acceptOf } from './web-socket-frames';

const certificate = selfSigned('api');
const closers: (() => void)[] = [];

/** Ends all servers of a test. */
export function closeAll(): void {
  for (const close of closers.splice(0)) close();
}

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** A server's frame, which is not masked. */
export function serverFrame(opcode: number, payload: Buffer, isLast = true): Buffer {
  const first = (isLast ? 0x80 : 0) | opcode;
  if (payload.length < 126) return Buffer.concat([Buffer.from([first, payload.length]), payload]);
  const head = Buffer.from([first, 126, 0, 0]);
  head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

/** The bytes that kubelets send first on each channel. */
export const portNumber = (channel: number, port = 9095): Buffer =>
  serverFrame(2, Buffer.from([channel, port & 0xff, port >> 8]));

export const onChannel = (channel: number, text: string): Buffer =>
  serverFrame(2, Buffer.concat([Buffer.from([channel]), Buffer.from(text)]));

/** An answer of the inspection interface, as bytes. */
export function httpAnswer(status: number, body: object | string): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return `HTTP/1.1 ${status} X\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`;
}

/** Longer texts need several frames. */
const maxFrameBytes = 32_768;

/** Answers a question on a forwarded connection, and ends it. */
export function sendAnswer(socket: Duplex, status: number, body: object | string): void {
  const text = httpAnswer(status, body);
  socket.write(Buffer.concat([portNumber(0), portNumber(1)]));
  for (let start = 0; start < text.length; start += maxFrameBytes) {
    socket.write(onChannel(0, text.slice(start, start + maxFrameBytes)));
  }
  socket.end(serverFrame(8, Buffer.alloc(0)));
}

/** What a pod does with a forwarded connection. */
export type Pod = (socket: Duplex, request: string) => void;

/** A pod that answers each question. */
export function answering(status: number, body: object | string): Pod {
  return (socket) => sendAnswer(socket, status, body);
}

export interface KubeServerOptions {
  readonly lease?: object | undefined;
  /** Pods by name; a missing one is answered with 404. */
  readonly pods?: Readonly<Record<string, Pod>>;
  /** The answer to each port-forward, instead of a pod's. */
  readonly refusal?: { readonly status: number; readonly message: string };
  /** The answer to the read of the Lease, instead of the Lease. */
  readonly leaseRefusal?: { readonly status: number; readonly message: string };
  /** What is there besides the Lease, by path and query; undefined: nothing. Without it, every path is the Lease's. */
  readonly objects?: (path: string) => object | undefined;
  readonly token?: string;
  /** A wrong answer to the key of the client. */
  readonly accept?: string;
  /** The server's time, in the header of each answer; undefined: it does not say. */
  readonly date?: string;
  /** Called for each port-forward, which then is never answered. */
  readonly hangs?: () => void;
}

export interface KubeServer {
  readonly port: number;
  /** Method, path and upgrade of each request. */
  readonly requests: readonly { readonly path: string; readonly authorization: string | undefined }[];
  /** What the pods were sent, unmasked. */
  readonly questions: readonly string[];
}

/** An API server that has one Lease, and forwards ports to pods, with TLS on loopback. */
export async function kubeServer(options: KubeServerOptions): Promise<KubeServer> {
  const requests: { path: string; authorization: string | undefined }[] = [];
  const questions: string[] = [];
  const refused = (request: IncomingMessage): { status: number; message: string } | undefined => {
    requests.push({ path: request.url ?? '', authorization: request.headers.authorization });
    const wanted = options.token === undefined ? undefined : `Bearer ${options.token}`;
    if (wanted !== undefined && request.headers.authorization !== wanted)
      return { status: 401, message: 'Unauthorized' };
    return undefined;
  };
  const server = createServer({ ...certificate }, (request, response) => {
    const { url = '' } = request;
    const isLease = options.objects === undefined || url.includes('/leases/');
    const found = isLease ? options.lease : options.objects(url);
    const problem =
      refused(request) ??
      (isLease ? options.leaseRefusal : undefined) ??
      (found ? undefined : { status: 404, message: 'none' });
    response.sendDate = false;
    response.writeHead(problem?.status ?? 200, {
      'content-type': 'application/json',
      ...(options.date !== undefined && { date: options.date }),
    });
    response.end(JSON.stringify(problem ? status(problem, 'reroll') : found));
  });
  server.on('upgrade', (request, socket: Duplex) => {
    socket.on('error', () => undefined);
    if (options.hangs) {
      options.hangs();
      return;
    }
    const [, pod = ''] = /\/pods\/([^/]+)\/portforward/.exec(request.url ?? '') ?? [];
    const serve = options.pods?.[pod];
    const isAccepted = request.headers.accept === '*/*';
    const problem =
      refused(request) ??
      options.refusal ??
      // As kubelets do.
      (isAccepted ? undefined : { status: 406, message: 'Not Acceptable' }) ??
      (serve ? undefined : { status: 404, message: `pods "${pod}" not found` });
    if (problem || !serve) {
      const refusal = problem ?? { status: 500, message: 'no pod' };
      const text = JSON.stringify(status(refusal, pod));
      const head = `content-type: application/json\r\ncontent-length: ${text.length}`;
      socket.end(`HTTP/1.1 ${refusal.status} X\r\n${head}\r\n\r\n${text}`);
      return;
    }
    const key = request.headers['sec-websocket-key'] ?? '';
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n` +
        `sec-websocket-accept: ${options.accept ?? acceptOf(key)}\r\nsec-websocket-protocol: v4.channel.k8s.io\r\n\r\n`,
    );
    socket.once('data', (chunk: Buffer) => {
      const question = unmasked(chunk).toString();
      questions.push(question);
      serve(socket, question);
    });
  });
  return { port: await listen(server), requests, questions };
}

function status(
  { status: code, message }: { readonly status: number; readonly message: string },
  name: string,
): object {
  const reason = { 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound' }[code];
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, details: { name } };
}

/** The payload of one frame of a client. */
export function unmasked(frame: Buffer): Buffer {
  const short = (frame[1] ?? 0) & 0x7f;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  const mask = frame.subarray(start, start + 4);
  return Buffer.from(frame.subarray(start + 4).map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
}

export const lease = (holder: string, renewTime = '2026-01-01T00:00:00.000000Z'): object => ({
  ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
  metadata: { name: 'reroll', namespace: 'reroll', uid: 'u', resourceVersion: '1' },
  spec: { holderIdentity: holder, leaseDurationSeconds: 15, renewTime },
});

/** A proxy that opens tunnels by CONNECT to one port, whatever host is named. */
export async function proxyTo(
  port: number,
  refuses?: number,
): Promise<{ readonly port: number; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const server = createHttpServer();
  server.on('connect', (request, socket: Duplex) => {
    socket.on('error', () => undefined);
    asked.push(`${request.url ?? ''} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    if (refuses !== undefined) {
      socket.end(`HTTP/1.1 ${refuses} X\r\n\r\n`);
      return;
    }
    const target = connectTcp(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    target.on('error', () => socket.destroy());
  });
  return { port: await listen(server), asked };
}

/** A kubeconfig for a server, as a file. */
export function kubeconfigFor(
  server: string,
  {
    user = {},
    cluster = {},
    namespace,
  }: { readonly user?: object; readonly cluster?: object; readonly namespace?: string } = {},
): string {
  const folder = mkdtempSync(join(tmpdir(), 'reroll-cli-'));
  closers.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'config');
  const authority = Buffer.from(certificate.cert).toString('base64');
  const content = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'main' },
    clusters: [{ name: 'main', cluster: { server, 'certificate-authority-data': authority, ...cluster } }],
    users: [{ name: 'main', user }],
    contexts: ['main', 'other'].map((name) => ({
      name,
      context: { cluster: 'main', user: 'main', namespace: name === 'other' ? 'elsewhere' : namespace },
    })),
  };
  writeFileSync(path, stringify(content));
  return path;
}
