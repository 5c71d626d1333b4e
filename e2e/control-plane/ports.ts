import { createServer, type Server } from 'node:net';

/**
 * Asks the kernel for free loopback ports.
 *
 * All are held open until the last one is known, so one call never gets the same port twice.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listenOnAnyPort));
  const ports = servers.map((server) => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('a listening server has no port');
    return address.port;
  });
  await Promise.all(servers.map(closed));
  return ports;
}

async function listenOnAnyPort(): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

async function closed(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}
