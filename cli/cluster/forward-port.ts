import type { Duplex } from 'node:stream';
import type { KubeClient } from '../../shared/kube/client/client';
import type { RequestLimits } from '../../shared/kube/client/objects';
import { ConnectionError } from '../../shared/kube/errors';
import { pods, resourcePath } from '../../shared/kube/resource';
import type { Random } from '../../shared/runtime/random';
import { ForwardedPort } from './forwarded-port';
import { acceptOf } from './web-socket-frames';

const protocol = 'v4.channel.k8s.io';

/**
 * Connects to a port of a pod through the API server, as `kubectl port-forward` does, without a port on this machine.
 * The kubelet connects to it on the loopback address of the pod. API servers see a GET, so the permission is `get` on
 * `pods/portforward`; newer ones ask for `create` as well, as for kubectl.
 *
 * @throws NotFoundError, ForbiddenError and the other KubeErrors
 */
export async function forwardPort(
  client: KubeClient,
  random: Random,
  { namespace, pod, port }: { readonly namespace: string; readonly pod: string; readonly port: number },
  limits: RequestLimits,
): Promise<Duplex> {
  const key = random.bytes(16).toString('base64');
  const { headers, upgraded } = await client.open({
    ...{ timeoutMs: limits.timeoutMs ?? 0, method: 'GET', pool: 'watch' },
    path: resourcePath(pods, namespace, pod, 'portforward'),
    query: { ports: String(port) },
    // Kubelets answer 406 if only one type is accepted.
    accept: '*/*',
    upgrade: {
      to: 'websocket',
      headers: { 'sec-websocket-version': '13', 'sec-websocket-key': key, 'sec-websocket-protocol': protocol },
    },
  });
  if (upgraded && headers['sec-websocket-accept'] === acceptOf(key)) return new ForwardedPort(upgraded, random);
  upgraded?.destroy();
  throw new ConnectionError('the API server, or a proxy before it, does not speak WebSocket');
}
