import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isFromForeignSite } from '../../shared/runtime/http/foreign-site';

/** Why a request is refused: a status, and a message for people. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly message: string;
}

const headerPattern = /^Bearer ([0-9a-f]{32})$/;

/**
 * Why a request to a name that is not this page's is refused; undefined: it is not. A DNS name that an attacker owns may
 * point to 127.0.0.1, but then the browser sends that name as the host.
 */
export function whyForeign(headers: IncomingHttpHeaders, port: number): Refusal | undefined {
  const { host = '' } = headers;
  // Browsers leave out port 80.
  const named = port === 80 && !host.includes(':') ? `${host}:80` : host;
  const isOwn = named === `127.0.0.1:${port}` || named === `localhost:${port}`;
  return isOwn ? undefined : { status: 403, message: 'open the address that reroll ui printed, with 127.0.0.1' };
}

/**
 * Why a question is not answered; undefined: it is. Browsers add no token by themselves, so neither another site nor
 * another user of the computer can ask: the token is in the fragment of the address, which browsers do not send.
 */
export function whyUnanswered(headers: IncomingHttpHeaders, token: string): Refusal | undefined {
  const isForeign = headers.origin !== undefined && headers.origin !== `http://${headers.host ?? ''}`;
  if (isForeign || isFromForeignSite(headers)) {
    return { status: 403, message: 'requests that another site causes are not answered' };
  }
  const [, given] = headerPattern.exec(headers.authorization ?? '') ?? [];
  if (given !== undefined && isSame(given, token)) return undefined;
  return { status: 401, message: 'the token of this address is not that of the running reroll ui' };
}

/** Takes the same time wherever they differ. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', token, 'buffer'));
}
