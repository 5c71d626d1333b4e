import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { PostError } from './post-transport';

/** Host and port of a URL, for Node's requests. */
export function endpoint(url: URL): { readonly host: string; readonly port: number } {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { host, port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port) };
}

/** Name and password of a URL as a header; empty if there are none. */
export function basicAuthorization(
  name: 'authorization' | 'proxy-authorization',
  { username, password }: URL,
): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  return { [name]: `Basic ${credentials}` };
}

/** A percent sign that starts no escape stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    return text;
  }
}

/** A request as it would be sent without a proxy. */
interface DirectRequest {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly ca?: string;
}

export type Route = https.RequestOptions & { readonly secure: boolean };

/**
 * The route to `url` through a proxy: with http, a request for the whole URL; with https, a tunnel by CONNECT (RFC
 * 9110, 9.3.6), so that the proxy sees only the host.
 */
export async function proxyRoute(proxy: URL, url: URL, direct: DirectRequest, signal: AbortSignal): Promise<Route> {
  const authorization = basicAuthorization('proxy-authorization', proxy);
  const end = endpoint(proxy);
  // Without `servername`, Node takes the name from the header `host`, which is that of the receiver.
  const named = { ...end, servername: serverName(end.host) };
  const toProxy = { ...named, agent: false, ...(direct.ca !== undefined && { ca: direct.ca }) };
  const secure = proxy.protocol === 'https:';
  if (url.protocol === 'http:') {
    const headers = { ...direct.headers, ...authorization };
    return { ...toProxy, path: `http://${url.host}${direct.path}`, headers, secure };
  }
  const authority = `${url.hostname}:${String(direct.port)}`;
  const headers = { host: authority, ...authorization };
  const connect = (secure ? https : http).request({ ...toProxy, method: 'CONNECT', path: authority, headers, signal });
  const tunnel = await connected(connect);
  const { host, path, ca } = direct;
  return {
    ...{ host, path, headers: direct.headers, secure: true },
    createConnection: () => tls.connect({ socket: tunnel, ca, host, servername: serverName(host) }),
  };
}

/** SNI, which has no form for an IP address. */
function serverName(host: string): string {
  return isIP(host) ? '' : host;
}

async function connected(connect: http.ClientRequest): Promise<Duplex> {
  return await new Promise((resolve, reject) => {
    connect.once('connect', ({ statusCode = 0 }, socket, head) => {
      // Without a listener, an error before the handshake would be uncaught.
      socket.on('error', () => undefined);
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(new PostError(`the proxy answered ${String(statusCode)}`));
    });
    connect.on('error', reject);
    connect.end();
  });
}
