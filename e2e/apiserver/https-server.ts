import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { HttpRequest, HttpResponse } from '../../shared/kube/transport';
import {
  createAuthority,
  generateRsaKeyPair,
  type Identity,
  type KeyPair,
  type KeyUse,
} from '../control-plane/certificates';
import { writeKubeconfig } from '../control-plane/kubeconfig';
import type { ApiServer } from './api-server';
import { readAll, wholeBody } from './byte-stream';
import type { Faults } from './faults';
import { unauthorized } from './status';

export interface HttpsServerOptions {
  /** Maps bearer tokens to users. With a client certificate, the user is its common name. */
  readonly tokens?: ReadonlyMap<string, string>;
  readonly faults?: Faults;
  /** 0, the default, lets the kernel choose. */
  readonly port?: number;
  /** Answers requests to switch to another protocol, as for a port-forward. Without it they are refused. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex) => void;
}

export interface HttpsServer {
  readonly url: string;
  /** The CA that signed the server's certificate. */
  readonly caPem: string;
  identityFor(user: string): Promise<Identity>;
  /** Writes a kubeconfig for a user. Only the owner of the file can read it. */
  writeKubeconfig(file: string, user: string): Promise<void>;
  /** Cuts every connection and closes the port. */
  close(): Promise<void>;
}

/** How long kube-apiserver keeps an idle connection. Node's default is 5 s. */
const idleMs = 90_000;

const keyPairs = new Map<KeyUse, Promise<KeyPair>>();

/** Generated once per process and use: this is the slowest part of a server's start, and no test needs fresh keys. */
async function keyPairFor(use: KeyUse): Promise<KeyPair> {
  const pair = keyPairs.get(use) ?? generateRsaKeyPair();
  keyPairs.set(use, pair);
  return await pair;
}

/** Serves a simulated API server over TLS on loopback, for real processes, `kubectl` and socket tests. */
export async function startHttpsServer(server: ApiServer, options: HttpsServerOptions = {}): Promise<HttpsServer> {
  const authority = await createAuthority('simulated-apiserver-ca', keyPairFor);
  const { certPem, keyPem } = await authority.issue({
    commonName: 'kube-apiserver',
    dnsNames: ['localhost', 'kubernetes.default.svc'],
    ipAddresses: ['127.0.0.1'],
  });
  const connections = new Map<Socket, number>();
  const authenticate = authenticator(options.tokens ?? new Map());
  const listener = https.createServer(
    { cert: certPem, key: keyPem, ca: authority.caPem, requestCert: true, rejectUnauthorized: false },
    (incoming, outgoing) => {
      const user = authenticate(incoming);
      const connectionId = connections.get(incoming.socket);
      const handle = async (request: HttpRequest): Promise<HttpResponse> =>
        user === undefined ? refusal() : await server.handle(request, user, connectionId);
      const faulty = options.faults === undefined ? handle : options.faults.wrap(user ?? '', handle);
      // A network fault ends the socket, as on a real server.
      serve(incoming, outgoing, faulty).catch(() => incoming.socket.destroy());
    },
  );
  listener.keepAliveTimeout = idleMs;
  if (options.upgrade) listener.on('upgrade', options.upgrade);
  let opened = 0;
  listener.on('secureConnection', (socket) => {
    connections.set(socket, (opened += 1));
    socket.once('close', () => connections.delete(socket));
  });
  listener.listen(options.port ?? 0, '127.0.0.1');
  await once(listener, 'listening');

  const { port } = listener.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}`;
  const { caPem } = authority;
  const identityFor = async (user: string): Promise<Identity> => await authority.issue({ commonName: user });
  return {
    url,
    caPem,
    identityFor,
    writeKubeconfig: async (file, user) =>
      await writeKubeconfig(file, { server: url, caPem, user, identity: await identityFor(user) }),
    async close() {
      const closed = once(listener, 'close');
      listener.close();
      for (const socket of connections.keys()) socket.destroy();
      await closed;
    },
  };
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: HttpRequest) => Promise<HttpResponse>,
): Promise<void> {
  const body = await readAll(incoming as AsyncIterable<Buffer>);
  const response = await handle({
    method: (incoming.method ?? 'GET') as HttpRequest['method'],
    path: incoming.url ?? '/',
    headers: flat(incoming.headers),
    ...(body.length === 0 ? {} : { body }),
    pool: 'request',
  });
  const chunks = response.body[Symbol.asyncIterator]();
  // When a client disconnects, its watch must end now, not at the next event.
  outgoing.once('close', () => void chunks.return?.().then(undefined, () => undefined));
  outgoing.writeHead(response.status, flat(response.headers));
  outgoing.flushHeaders();
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    if (!outgoing.write(next.value) && !outgoing.destroyed) await once(outgoing, 'drain');
  }
  outgoing.end();
}

function authenticator(tokens: ReadonlyMap<string, string>): (incoming: IncomingMessage) => string | undefined {
  return ({ headers, socket }) => {
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    if (token !== undefined) return tokens.get(token);
    if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
    const commonName: unknown = socket.getPeerCertificate().subject.CN;
    return typeof commonName === 'string' ? commonName : undefined;
  };
}

function refusal(): HttpResponse {
  const error = unauthorized();
  const body = Buffer.from(JSON.stringify(error.toStatus()));
  return { status: error.code, headers: { 'content-type': 'application/json' }, body: wholeBody(body) };
}

function flat(headers: Readonly<Record<string, string | readonly string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
