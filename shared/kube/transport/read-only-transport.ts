import { RerollError } from '../../domain/errors';
import type { Transport } from '../transport';

/** Ensures that a process cannot write: only reading requests are sent. */
export function readOnlyTransport(transport: Transport): Transport {
  return {
    send: async (request) => {
      if (request.method === 'GET') return await transport.send(request);
      throw new RerollError(`${request.method} is not sent: this process only reads`, {
        code: 'READ_ONLY',
      });
    },
  };
}
