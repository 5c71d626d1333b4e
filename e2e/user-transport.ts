import type { Transport } from '../shared/kube/transport';

/** For clients that stand for people: what they write must not pass for Reroll's own. */
export function userTransport(transport: Transport): Transport {
  return {
    send: async (request) =>
      await transport.send({ ...request, path: request.path.replace('fieldManager=reroll', 'fieldManager=kubectl') }),
  };
}
