import type { Transport } from '../shared/kube/transport';

/** A transport for clients that act as people: it replaces Reroll's field manager, so their writes are not Reroll's. */
export function userTransport(transport: Transport): Transport {
  return {
    send: async (request) =>
      await transport.send({ ...request, path: request.path.replace('fieldManager=reroll', 'fieldManager=kubectl') }),
  };
}
