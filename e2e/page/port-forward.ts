import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { portNumber, serverFrame, unmasked } from '../../cli/cluster/kube-server.fixture';
import { acceptOf } from '../../cli/cluster/web-socket-frames';

const dataChannel = Buffer.from([0]);

/** A frame with a length of two bytes holds less than 64 KiB. */
const maxBytes = 32_768;

/** Forwards any port of any pod to one on this machine, as a kubelet does. The first message has the whole question. */
export function forwardTo(port: () => number): (request: IncomingMessage, socket: Duplex) => void {
  return (request, socket) => {
    socket.on('error', () => undefined);
    const accept = acceptOf(request.headers['sec-websocket-key'] ?? '');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n` +
        `sec-websocket-accept: ${accept}\r\nsec-websocket-protocol: v4.channel.k8s.io\r\n\r\n`,
    );
    socket.write(Buffer.concat([portNumber(0), portNumber(1)]));
    const target = connect(port(), '127.0.0.1');
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
