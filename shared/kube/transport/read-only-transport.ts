import { RerollError } from '../../domain/errors';
import type { Transport } from '../transport';

/** Ensures that a process cannot write: only GET requests are sent, and all others are rejected. */
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
