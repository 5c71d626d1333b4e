import type { IncomingHttpHeaders } from 'node:http';

/** `none`: somebody typed the address. A client that is no browser, or older than the header, sends none. */
const ownSites: ReadonlySet<unknown> = new Set([undefined, 'none', 'same-origin']);

/** Whether a page of another site caused the request (Fetch Metadata Request Headers, `Sec-Fetch-Site`). */
export function isFromForeignSite(headers: IncomingHttpHeaders): boolean {
  return !ownSites.has(headers['sec-fetch-site']);
}
