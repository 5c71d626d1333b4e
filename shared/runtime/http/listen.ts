import type { AddressInfo, Server } from 'node:net';
import { RerollError } from '../../domain/errors';
import { formatListenAddress, type ListenAddress } from './listen-address';

/** The server cannot listen on this address; `flag` chooses another. */
export class ListenError extends RerollError {
  constructor(address: ListenAddress, cause: NodeJS.ErrnoException, flag: string) {
    super(`cannot listen on ${formatListenAddress(address)}: ${listenProblem(cause, flag)}`, {
      code: 'LISTEN_FAILED',
      cause,
    });
  }
}

/**
 * Resolves with the port in use, which the system chooses for port 0.
 *
 * @param flag the flag that sets the address, for the message
 * @throws ListenError
 */
export async function listenOn(server: Server, address: ListenAddress, flag: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    // Stays afterwards: if the kernel has no memory for one more connection, that connection is lost, and without a
    // listener Node would end the process for it.
    server.on('error', (cause: NodeJS.ErrnoException) => reject(new ListenError(address, cause, flag)));
    server.listen({ port: address.port, host: address.host }, resolve);
  });
  return (server.address() as AddressInfo).port;
}

function listenProblem({ code, message }: NodeJS.ErrnoException, flag: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `another process uses this port: stop it, or choose another address with ${flag}`;
    case 'EACCES':
      return `this user may not use this port: choose one above 1023 with ${flag}`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `this machine has no such address: choose another with ${flag}`;
    default:
      return message;
  }
}
