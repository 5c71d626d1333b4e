import type { IncomingHttpHeaders } from 'node:http';
import { isFromForeignSite } from '../../shared/runtime/http/foreign-site';

/** The names under which a forwarded port is reached, with any port. */
const ownHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/**
 * Why a request must not be answered; undefined: it may. A page in the browser of somebody who forwards the port can
 * send requests to it. Its script could read the answers if a DNS name that the attacker owns pointed to 127.0.0.1, but
 * then the browser sends that name as the host.
 */
export function whyRefused(headers: IncomingHttpHeaders): string | undefined {
  if (!ownHost.test(headers.host ?? '')) {
    return 'the host of the request must be localhost, 127.0.0.1 or [::1]: use one of them in the address';
  }
  if (headers.origin !== undefined) return 'requests of web pages are not answered: use curl, or type the address';
  return isFromForeignSite(headers)
    ? 'requests that another site causes are not answered: use curl, or type the address'
    : undefined;
}
