import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { portNumber, serverFrame, unmasked } from '../../cli/cluster/kube-server.fixture';
import { acceptOf } from '../../cli/cluster/web-socket-frames';
import { notFound } from './status';
import { podKind } from './resources';

const dataChannel = Buffer.from([0]);

/** A frame with a length of two bytes holds less than 64 KiB. */
const maxBytes = 32_768;

/** The port on this machine that stands for the port of a pod; undefined: there is no such pod. */
export type ForwardedPortOf = (namespace: string, pod: string) => number | undefined;

/** Forwards any port of a pod to one on this machine, as a kubelet does. The first message has the whole question. */
export function forwardTo(portOf: ForwardedPortOf): (request: IncomingMessage, socket: Duplex) => void {
  return (request, socket) => {
    socket.on('error', () => undefined);
    const [, namespace = '', pod = ''] =
      /\/namespaces\/([^/]+)\/pods\/([^/]+)\/portforward/.exec(request.url ?? '') ?? [];
    const port = portOf(namespace, pod);
    if (port === undefined) {
      refuse(socket, pod);
      return;
    }
    const accept = acceptOf(request.headers['sec-websocket-key'] ?? '');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n` +
        `sec-websocket-accept: ${accept}\r\nsec-websocket-protocol: v4.channel.k8s.io\r\n\r\n`,
    );
    socket.write(Buffer.concat([portNumber(0), portNumber(1)]));
    const target = connect(port, '127.0.0.1');
    target.on('error', () => socket.destroy());
    socket.once('data', (frame: Buffer) => target.write(unmasked(frame).subarray(1)));
    target.on('data', (chunk: Buffer) => {
      for (let start = 0; start < chunk.length; start += maxBytes) {
        socket.write(serverFrame(2, Buffer.concat([dataChannel, chunk.subarray(start, start + maxBytes)])));
      }
    });
    target.on('end', () => socket.end(serverFrame(8, Buffer.alloc(0))));
    socket.on('close', () => target.destroy());
  };
}

function refuse(socket: Duplex, pod: string): void {
  const error = notFound(podKind, pod);
  const body = JSON.stringify(error.toStatus());
  const head = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`;
  socket.end(`HTTP/1.1 ${error.code} Not Found\r\n${head}\r\n\r\n${body}`);
}
