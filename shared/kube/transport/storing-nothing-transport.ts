import { RerollError } from '../../domain/errors';
import type { HttpRequest, Transport } from '../transport';

/** Questions about the one who asks, which are POSTs. */
const reviews = [
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/apis/authentication.k8s.io/v1/selfsubjectreviews',
];

/** Ensures that nothing is stored: only GET requests, dry runs and questions about oneself are sent. */
export function storingNothingTransport(transport: Transport): Transport {
  return {
    send: async (request) => {
      if (storesNothing(request)) return await transport.send(request);
      throw new RerollError(`${request.method} is not sent: this process stores nothing`, { code: 'READ_ONLY' });
    },
  };
}

function storesNothing({ method, path }: HttpRequest): boolean {
  if (method === 'GET') return true;
  const [resource = '', query] = path.split('?');
  return new URLSearchParams(query).get('dryRun') === 'All' || (method === 'POST' && reviews.includes(resource));
}
