import { createServer, type Server } from 'node:https';
import type { ServerResponse } from 'node:http';

/** Answers a review, given its text. */
export type Garbage = (response: ServerResponse, review: string) => void;

const answer = (response: ServerResponse, body: object | string): void => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};

const review = (response: object): object => ({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });

/** Answers of an endpoint that is not our webhook, or is a broken one. */
export const garbage: Readonly<Record<string, Garbage>> = {
  'a page for people': (response) => answer(response, '<html>It works!</html>'),
  'an empty object': (response) => answer(response, {}),
  'half an answer': (response) => answer(response, '{"apiVersion":"admission.k8s.io/v1","kind":"Admiss'),
  'the answer to another review': (response) => answer(response, review({ uid: 'another', allowed: true })),
  'the review itself': (response, text) => answer(response, text),
  'an internal error': (response) => response.writeHead(500).end('panic'),
  'a redirect': (response) => response.writeHead(302, { location: 'https://127.0.0.1:1/' }).end(),
  'an end of the connection': (response) => response.destroy(),
  'an answer that never ends': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"apiVersion":');
  },
};

/** Starts a server in the webhook's place, with the webhook's certificate. */
export async function startGarbageServer(port: number, tls: object, give: Garbage): Promise<Server> {
  const server = createServer(tls, (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.once('end', () => give(response, text));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}
