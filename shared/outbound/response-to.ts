import type { ClientRequest, IncomingMessage } from 'node:http';

/** Sends a request. Resolves with the head of the answer: the body may be slow, or never end. */
export async function responseTo(outgoing: ClientRequest, body?: Buffer): Promise<IncomingMessage> {
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    // Never removed: without it, an error after the response would be uncaught.
    outgoing.on('error', reject);
    outgoing.end(body);
  });
  incoming.on('error', () => undefined);
  return incoming;
}
