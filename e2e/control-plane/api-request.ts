import { request } from 'node:https';
import type { Identity } from './certificates';

/** An API server and the identity that calls it. */
export interface ApiEndpoint {
  readonly url: string;
  readonly caPem: string;
  readonly identity: Identity;
}

/** An answer of the API server. */
export interface ApiResponse {
  readonly status: number;
  readonly body: string;
}

/** Sends one request on a new connection. kubectl would need a process and API discovery for each request. */
export async function apiRequest(
  endpoint: ApiEndpoint,
  method: 'GET' | 'POST',
  pathname: string,
  body?: object,
): Promise<ApiResponse> {
  return await new Promise((resolve, reject) => {
    const outgoing = request(
      new URL(pathname, endpoint.url),
      {
        method,
        ca: endpoint.caPem,
        cert: endpoint.identity.certPem,
        key: endpoint.identity.keyPem,
        agent: false,
        timeout: 10_000,
        headers: { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'reroll-e2e' },
      },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        incoming.once('error', reject);
        incoming.once('end', () => resolve({ status: incoming.statusCode ?? 0, body: text }));
      },
    );
    outgoing.once('timeout', () => outgoing.destroy(new Error(`${method} ${pathname}: no answer in 10 s`)));
    outgoing.once('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
