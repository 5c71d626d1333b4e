/**
 * The smallest possible reloader: watches one ConfigMap and sends a PATCH to its Deployments as soon as it changes. It
 * knows no content, no baseline, no conflict, no reconnect: no reloader on Node can be faster.
 *
 * A program of its own, bundled and started by `floor.ts`.
 */
import { readFileSync } from 'node:fs';
import { Agent, request, type RequestOptions } from 'node:https';
import type { FloorSettings } from './floor';

const { server, caPem, certPem, keyPem, namespace, source, deployments, inTurn, connections } = JSON.parse(
  readFileSync(process.argv[2] ?? '', 'utf8'),
) as FloorSettings;

const { hostname, port } = new URL(server);
const tls = { ca: caPem, cert: certPem, key: keyPem };
const agent = new Agent({ ...tls, keepAlive: true, maxSockets: connections, maxFreeSockets: connections });

const modified = Buffer.from('{"type":"MODIFIED"');
let restarts = 0;

function onEvent(line: Buffer): void {
  if (!line.subarray(0, modified.length).equals(modified)) return;
  const chosen = inTurn ? [deployments[restarts % deployments.length] ?? ''] : deployments;
  restarts++;
  const body = Buffer.from(
    JSON.stringify({ spec: { template: { metadata: { annotations: { floor: String(restarts) } } } } }),
  );
  for (const name of chosen) restart(name, body);
}

function restart(name: string, body: Buffer): void {
  const headers = {
    'content-type': 'application/strategic-merge-patch+json',
    'content-length': body.length,
    // What Reroll asks for, too: a short answer.
    accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  };
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;
  send({ method: 'PATCH', path, headers }, body);
}

function send(options: RequestOptions, body?: Buffer, onEnd: () => void = () => undefined): void {
  const outgoing = request({ ...options, hostname, port, agent }, (incoming) => {
    if (incoming.statusCode !== 200) throw new Error(`${options.path ?? ''}: ${String(incoming.statusCode)}`);
    incoming.resume().on('end', onEnd);
  });
  outgoing.end(body);
}

function watch(onOpen: () => void): void {
  const path = `/api/v1/namespaces/${namespace}/configmaps?watch=1&fieldSelector=metadata.name%3D${source}`;
  request({ hostname, port, path, agent: new Agent(tls) }, (incoming) => {
    let rest: Buffer = Buffer.alloc(0);
    incoming.on('data', (chunk: Buffer) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
        onEvent(rest.subarray(0, end));
        rest = rest.subarray(end + 1);
      }
    });
    onOpen();
  }).end();
}

let opened = 0;
const onOpened = (): void => {
  opened++;
  if (opened === connections) watch(() => console.log('ready'));
};
for (let index = 0; index < connections; index++) send({ path: '/version' }, undefined, onOpened);
