import { RerollError } from '../../domain/errors';
import type { Transport } from '../transport';

/** A process that must not write cannot: whatever it asks for, only what reads is sent. */
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
