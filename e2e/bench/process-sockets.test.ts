import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { connectionsTo, establishedTo, openFiles } from './process-sockets';

it('tells connections of a port from those of others, and from those that listen or end', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:9C40 0100007F:192B 01 00000000:00000000 00:00000000 00000000     0        0 11 1 0 20',
    '   1: 0100007F:192B 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 12 1 0 20',
    '   2: 0100007F:9C41 0100007F:192B 06 00000000:00000000 00:00000000 00000000     0        0 13 1 0 20',
    '   3: 00000000:192B 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 14 1 0 20',
    '   4: 0100007F:9C42 0100007F:192B 01 00000000:00000000 00:00000000 00000000     0        0 15 1 0 20',
  ].join('\n');
  expect(establishedTo(table, 6443)).toEqual(['11', '15']);
});

it('counts those of a process that runs', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const before = openFiles(process.pid).count;
  const sockets = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  expect(connectionsTo(process.pid, port)).toBe(2);
  expect(openFiles(process.pid).count).toBeGreaterThanOrEqual(before + 2);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});
